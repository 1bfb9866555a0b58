import type { Metadata } from 'next';
import { LockView } from '@/components/subject/lock-view';
import { sourceAt } from '@/lib/client/paths';
import { runtime } from '@/lib/server/runtime';

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** The first of a repeated parameter counts. */
async function keyOf(searchParams: Props['searchParams']): Promise<string> {
  const { key } = await searchParams;
  return (Array.isArray(key) ? key[0] : key) ?? '';
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  return { title: await keyOf(searchParams) };
}

export default async function LockPage({ searchParams }: Props) {
  const key = await keyOf(searchParams);
  const source = sourceAt(await searchParams);
  return (
    <LockView
      key={`${source} ${key}`}
      name={key}
      source={source}
      canAsk={runtime().viewpoints.own.probes.probe !== null}
    />
  );
}
