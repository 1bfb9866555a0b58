import type { Metadata } from 'next';
import { SessionView } from '@/components/sessions/session-view';
import { sourceAt } from '@/lib/client/paths';
import { shortId } from '@/lib/domain/model';

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** The first of a repeated parameter counts. */
async function idOf(searchParams: Props['searchParams']): Promise<string> {
  const { id } = await searchParams;
  return (Array.isArray(id) ? id[0] : id) ?? '';
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  return { title: shortId(await idOf(searchParams)) };
}

export default async function SessionPage({ searchParams }: Props) {
  const id = await idOf(searchParams);
  const source = sourceAt(await searchParams);
  return <SessionView key={`${source} ${id}`} id={id} source={source} />;
}
