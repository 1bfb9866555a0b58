/**
 * The rights that the calls of an action need. Ending a session requires the right to write the sessions of its node,
 * and only a visible session names its node. Consul frees a key when its session ends, so an unlisted session that
 * locks a key is alive and hidden. The right to write sessions includes the right to read them.
 */
import { addressable } from '@/lib/domain/by-hand/addressable';
import type { Right } from '@/lib/domain/identity';
import type { Ask } from '@/lib/providers/consul/client/acl';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import type { SessionRow } from '@/lib/providers/consul/client/wire';
import { contenderKey, coordinationKey } from '@/lib/providers/consul/rows/coordination';
import type { Asker, Need } from '@/lib/providers/consul/sight/rights';

/** The means to find the rights that an action needs. */
export interface Asking {
  readonly by: Asker;
  /** Listed once for several questions; `null`: no answer. */
  readonly sessions: () => Promise<readonly SessionRow[] | null>;
  readonly signal: AbortSignal;
}

export function askingOf(by: Asker, signal: AbortSignal): Asking {
  let listed: Promise<readonly SessionRow[] | null> | null = null;
  const list = async () =>
    (await answered(by.sessions({ consistency: 'consistent', signal }), signal))?.value ?? null;
  const sessions = () => {
    listed ??= list();
    return listed;
  };
  return { by, sessions, signal };
}

export const writing = (segment: string): Ask => ({ resource: 'key', access: 'write', segment });

export const entryNeed = (key: string): Need => ({
  asks: [writing(key)],
  named: [{ code: 'write-entry', facts: { key } }],
});

/** The rights to the coordination entry and to one contender entry. */
export const entriesNeed = (prefix: string, sessionId: string): Need => ({
  asks: [writing(coordinationKey(prefix)), writing(contenderKey(prefix, sessionId))],
  named: [{ code: 'write-folder', facts: { prefix } }],
});

/** The node of the session, or the known right to end it without one. */
type Holder = { readonly node?: string; readonly known?: Right };

/** The right to end a session, on its node if known. */
export const endingNeed = ({ node, known = 'unknown' }: Holder): Need => ({
  ...(node === undefined
    ? { asks: [], known }
    : { asks: [{ resource: 'session', access: 'write', segment: node }] }),
  named: [{ code: 'end-session', facts: { node: node ?? null } }],
});

/** Resolves to `null` without an answer. Throws a bug. */
async function answered<T>(request: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ConsulError || signal.aborted) return null;
    throw error;
  }
}

/** The node of a session in the list. */
export async function nodeOf({ sessions }: Asking, id: string): Promise<Holder> {
  const node = (await sessions())?.find((session) => session.id === id)?.node;
  return node === undefined ? {} : { node };
}

/** The holder of a lock, or the known right where it cannot be named. */
export async function holderOf(asking: Asking, key: string): Promise<Holder> {
  const { by, signal } = asking;
  const sessions = await asking.sessions();
  if (!addressable(key)) return {};
  const row = await answered(by.get(key, { consistency: 'consistent', signal }), signal);
  const id = row?.value?.session ?? null;
  // Rights do not decide about an unreadable, free or absent lock.
  if (id === null) return {};
  const listed = await nodeOf(asking, id);
  if (listed.node !== undefined || sessions === null) return listed;
  // The list is older than the row. Only a session that still holds the key and is still unlisted is hidden from the
  // token.
  const [reread, session] = await Promise.all([
    answered(by.get(key, { consistency: 'consistent', signal }), signal),
    answered(by.session(id, { consistency: 'consistent', signal }), signal),
  ]);
  if (session?.value) return { node: session.value.node };
  return session !== null && reread?.value?.session === id ? { known: 'no' } : {};
}
