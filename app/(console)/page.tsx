import { Board } from '@/components/board/board';
import { type Query, textsOf } from '@/lib/server/asked';
import { titled } from '@/lib/server/language';

export const generateMetadata = titled((m) => m.board.title);

interface Props {
  readonly searchParams: Promise<Query>;
}

export default async function BoardPage({ searchParams }: Props) {
  return <Board asked={textsOf(await searchParams)} />;
}
