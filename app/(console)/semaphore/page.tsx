import type { Metadata } from 'next';
import { SemaphoreView } from '@/components/subject/semaphore-view';
import { sourceAt } from '@/lib/client/paths';

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** The first of a repeated parameter counts. */
async function prefixOf(searchParams: Props['searchParams']): Promise<string> {
  const { prefix } = await searchParams;
  return (Array.isArray(prefix) ? prefix[0] : prefix) ?? '';
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  return { title: await prefixOf(searchParams) };
}

export default async function SemaphorePage({ searchParams }: Props) {
  const prefix = await prefixOf(searchParams);
  const source = sourceAt(await searchParams);
  return <SemaphoreView key={`${source} ${prefix}`} prefix={prefix} source={source} />;
}
