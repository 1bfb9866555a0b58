import type { Metadata } from 'next';
import { Board } from '@/components/board/board';
import { en } from '@/lib/client/messages';

export const metadata: Metadata = { title: en.board.title };

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function BoardPage({ searchParams }: Props) {
  return <Board asked={await searchParams} />;
}
