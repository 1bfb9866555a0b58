import type { Metadata } from 'next';
import { Board } from '@/components/board/board';
import { en } from '@/lib/client/messages';

export const metadata: Metadata = { title: en.board.title };

export default function BoardPage() {
  return <Board />;
}
