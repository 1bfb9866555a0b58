import { EmbedPage, type EmbedPageProps } from '@/app/embed/embed-page';

export default function EmbeddedSemaphore({ searchParams }: EmbedPageProps) {
  return <EmbedPage view="semaphore" searchParams={searchParams} />;
}
