/** Whether a token may write what an action writes last, asked before it does what cannot be taken back. */
import { asksMax } from '@/lib/providers/consul/client/acl';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { type ActContext, refusal } from './consistent-read';

/** Throws `forbidden` where Consul says that the token may not write one of these keys. Not being able to ask is no denial. */
export async function requireWritable(
  { client, signal }: ActContext,
  keys: readonly string[],
): Promise<void> {
  const asks = keys.map((segment) => ({ resource: 'key', access: 'write', segment }) as const);
  for (let at = 0; at < asks.length; at += asksMax) {
    const some = asks.slice(at, at + asksMax);
    const allowed = await client.authorize(some, { signal }).catch((error: unknown): boolean[] => {
      if (error instanceof ConsulError) return [];
      throw error;
    });
    if (allowed.includes(false)) throw refusal('forbidden', { code: 'token-refused', facts: {} });
  }
}
