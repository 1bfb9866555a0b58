/** The state that a plan saw: the one node that it writes, and its role. A node's name and `czxid` never recur. */
import { z } from 'zod';
import type { Expect } from '@/lib/domain/actions/expect';
import type { Difference } from '@/lib/domain/refusal';
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';

const whole = z.int().nonnegative();
const schema = z.strictObject({
  /** The lock's key, or the semaphore's prefix. */
  subject: z.string().min(1),
  /** The holder or waiter concerned; `null` for a limit. */
  party: z.nullable(z.string().min(1)),
  node: z.strictObject({
    path: z.string().min(1),
    czxid: z.string().regex(/^\d{1,20}$/),
    version: whole,
    /** The owning session; '0' for a node without one. */
    owner: z.string().regex(/^[0-9a-f]{1,16}$/),
  }),
  /** The value of a shared count. */
  limit: z.nullable(z.int()),
});

export type Seen = z.infer<typeof schema>;

export const seenIn = (expect: Expect): Seen | null => schema.safeParse(expect).data ?? null;

export function seenOf(
  { path, stat }: ZkNode,
  about: Pick<Seen, 'subject' | 'party'> & { readonly limit?: number },
): Expect {
  const { czxid, version, ephemeralOwner: owner } = stat;
  const { limit = null, ...rest } = about;
  return { ...rest, node: { path, czxid, version, owner }, limit } satisfies Seen;
}

/** The differences between the node now and the node that was seen. */
export function nodeDifference({ node: seen }: Seen, now: ZkNode | null): readonly Difference[] {
  const { path, version: before } = seen;
  if (now === null) return [{ code: 'entry-gone', facts: { key: path } }];
  const { czxid, version, ephemeralOwner } = now.stat;
  if (czxid !== seen.czxid || ephemeralOwner !== seen.owner)
    return [{ code: 'entry-replaced', facts: { key: path } }];
  return version === before
    ? []
    : [{ code: 'zookeeper-data-changed', facts: { path, before, now: version } }];
}
