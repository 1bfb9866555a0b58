import { Board } from '@/components/board/board';
import { titled } from '@/lib/server/language';

export const generateMetadata = titled((m) => m.board.title);

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function BoardPage({ searchParams }: Props) {
  return <Board asked={await searchParams} />;
}
