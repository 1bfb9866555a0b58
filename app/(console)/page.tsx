import { Board } from '@/components/board/board';
import { titled } from '@/lib/server/http/accept-language';
import { type Query, textsOf } from '@/lib/server/http/query-params';

export const generateMetadata = titled((m) => m.board.title);

interface Props {
  readonly searchParams: Promise<Query>;
}

export default async function BoardPage({ searchParams }: Props) {
  return <Board asked={textsOf(await searchParams)} />;
}
