/** Keys that Consul 2.0 and later refuse in a transaction, on a server that still has some. */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { enforcesKeyRule } from '@/lib/providers/consul/client/key-rule';
import type { TestConsul } from '@/test/support/consul';

/** One of each kind that can be stored on a server that enforces the rule, all of different names. */
export const ruledKeys = (name: string): readonly string[] => [
  `/${name}/slash`,
  `../${name}/climb`,
  `${name}/end `,
  ` ${name}/begin`,
  `${name}/%20`,
  `${name}/%2e%2e`,
];

/** Whether the server enforces the rule. Throws where it does not say. */
export async function isRuled(client: ConsulClient): Promise<boolean> {
  const ruled = await enforcesKeyRule(client, AbortSignal.timeout(30_000));
  if (ruled === null) throw new Error('Consul does not say whether it refuses such keys.');
  return ruled;
}

/** Writes such a key: by a transaction where Consul takes it, else by its path on an agent that was started with `openPaths`. */
export async function putRuled(
  { address, token }: Pick<TestConsul, 'address' | 'token'>,
  client: ConsulClient,
  {
    key,
    value = '',
    flags = '0',
    session = null,
  }: {
    readonly key: string;
    readonly value?: string;
    readonly flags?: string;
    readonly session?: string | null;
  },
): Promise<void> {
  const bytes = Buffer.from(value);
  if (!(await isRuled(client))) {
    const op =
      session === null
        ? ({ verb: 'set', key, value: bytes, flags } as const)
        : ({ verb: 'lock', key, value: bytes, flags, session } as const);
    const outcome = await client.txn([op]);
    if (!outcome.done) throw new Error(`${key}: ${JSON.stringify(outcome.errors)}`);
    return;
  }
  const query = new URLSearchParams({ flags, ...(session === null ? {} : { acquire: session }) });
  const answer = await fetch(`http://${address}/v1/kv/${encodeURIComponent(key)}?${query}`, {
    method: 'PUT',
    headers: token === null ? {} : { 'x-consul-token': token },
    body: value,
  });
  const text = await answer.text();
  if (text !== 'true') throw new Error(`${key}: ${answer.status} ${text}`);
}
