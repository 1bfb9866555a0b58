import { EmbedPage, type EmbedPageProps } from '@/app/embed/embed-page';

export default function EmbeddedLock({ searchParams }: EmbedPageProps) {
  return <EmbedPage view="lock" searchParams={searchParams} />;
}
