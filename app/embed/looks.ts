import { headers } from 'next/headers';
import { looksOf } from '@/lib/server/sharing/embed-looks';

/** A layout does not get the query, so `proxy.ts` passes it on. */
export async function embedLooks() {
  const all = await headers();
  return looksOf(new URLSearchParams(all.get('x-embed-query') ?? ''), all);
}
