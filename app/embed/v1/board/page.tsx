import { EmbedPage, type EmbedPageProps } from '@/app/embed/embed-page';

export default function EmbeddedBoard({ searchParams }: EmbedPageProps) {
  return <EmbedPage view="board" searchParams={searchParams} />;
}
