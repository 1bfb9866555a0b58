/** What a right is asked for, and how a denial is said: by the rules that the action takes, as far as they are known here. */
import type { RightAsked } from '@/lib/client/rights';
import { type Action, find } from '@/lib/domain/action';
import type { Right } from '@/lib/domain/identity';
import type { World } from '@/lib/domain/model';
import type { Messages } from '@/lib/words/messages';

/** Both ways to free something: its button opens a dialog in which one of them is chosen. */
function waysOf(action: Action): readonly Action[] {
  if (!('how' in action) || action.how !== 'destroy-session') return [action];
  return action.type === 'lock.release'
    ? [action, { ...action, how: 'hand-over' }]
    : [action, { ...action, how: 'slot-only' }];
}

/** The session that an action ends or takes a slot from, as it is shown. */
function sessionOf(
  action: Action,
  world: World,
): { readonly id: string | null; readonly node: string | null } {
  const found = find(action, world);
  const id = 'sessionId' in action ? action.sessionId : (found.lock?.holder?.sessionId ?? null);
  const holder =
    found.lock?.holder ?? found.semaphore?.holders.find(({ sessionId }) => sessionId === id) ?? null;
  const session = found.session ?? world.sessions.find((one) => one.id === id) ?? null;
  return { id, node: session?.node ?? holder?.session?.node ?? null };
}

/** What to ask for one button. The answer holds for the holder and node of now. */
export function rightsAsked(
  action: Action,
  world: World,
  ways: 'all' | 'this' = 'all',
): readonly RightAsked[] {
  const { id, node } = sessionOf(action, world);
  const stamp = `${id} ${node}`;
  return (ways === 'all' ? waysOf(action) : [action]).map((way) => ({ action: way, stamp }));
}

export type KnownRight = Right | 'asking' | null;

/** One answer for several ways: the best of them. */
export function bestOf(rights: readonly KnownRight[]): KnownRight {
  for (const one of ['yes', 'asking', 'unknown', null, 'no'] as const) if (rights.includes(one)) return one;
  return null;
}

/** Consul's rules that an action takes, in words. */
function rulesOf(action: Action, world: World, m: Messages): readonly string[] {
  const { rights } = m.identity;
  const { node } = sessionOf(action, world);
  switch (action.type) {
    case 'lock.release':
      return action.how === 'hand-over' ? [rights.key(action.key)] : [rights.session(node)];
    case 'session.destroy':
      return [rights.session(node)];
    case 'semaphore.evict': {
      const entries = rights.under(action.prefix);
      return action.how === 'slot-only' ? [entries] : [rights.session(node), entries];
    }
    case 'semaphore.prune': {
      const [only] = action.prefixes;
      return action.prefixes.length === 1 && only !== undefined
        ? [rights.key(`${only}/.lock`)]
        : [rights.keys(action.prefixes.length)];
    }
    case 'semaphore.resize':
      return [rights.key(`${action.prefix}/.lock`)];
    case 'semaphore.delete':
      return [rights.under(action.prefix)];
    case 'lock.delete':
      return [rights.key(action.key)];
  }
}

/** Why it cannot be done by what is known of the right to it; `null` where nothing speaks against it. */
export function deniedReason(right: KnownRight, action: Action, world: World, m: Messages): string | null {
  const { rights } = m.identity;
  if (right === 'asking') return rights.asking;
  return right === 'no' ? rights.no(rulesOf(action, world, m).join(rights.and)) : null;
}
