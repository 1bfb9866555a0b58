/** The inputs of a right, and the words of a denial, by the rules that the provider names. */
import type { KnownRight, RightAsked } from '@/lib/client/rights';
import { type Action, descriptorOf, find, permission } from '@/lib/domain/actions/action';
import { targetOf } from '@/lib/domain/actions/whom';
import { capabilities } from '@/lib/domain/capabilities';
import type { World } from '@/lib/domain/model';
import { worded } from '@/lib/i18n/format/worded';
import type { Messages } from '@/lib/i18n/messages';

/** The ways to free something, the gentler one last, as the dialog shows them; the action alone where it has one way. */
export function waysOf(action: Action, world: World): readonly Action[] {
  const { lock, semaphore } = find(action, world);
  const layout = lock?.layout ?? semaphore?.layout;
  // Without sessions there is none to end.
  if (layout !== undefined && capabilities[layout].holds !== 'session') return [action];
  return descriptorOf(action).ways?.map((how) => ({ ...action, how }) as Action) ?? [action];
}

/** The shown session that the action ends or takes a slot from. */
function sessionOf(
  action: Action,
  world: World,
): { readonly id: string | null; readonly node: string | null } {
  const found = find(action, world);
  const id = targetOf(action, found.lock);
  const holder =
    found.lock?.holder ?? found.semaphore?.holders.find(({ sessionId }) => sessionId === id) ?? null;
  const session =
    found.session ?? world.sessions.find((one) => one.source === action.source && one.id === id) ?? null;
  return { id, node: session?.node ?? holder?.session?.node ?? null };
}

/** The ways of one button: all ways to free something, or only the gentler one. */
function waysOfButton(action: Action, world: World): readonly Action[] {
  return 'how' in action && action.how === 'destroy-session' ? waysOf(action, world) : [action];
}

/** The rights of one button. The answer holds for the present holder and node. */
export function rightsAsked(
  action: Action,
  world: World,
  ways: readonly Action[] = waysOfButton(action, world),
): readonly RightAsked[] {
  const { id, node } = sessionOf(action, world);
  const stamp = `${id} ${node}`;
  return ways.map((way) => ({ action: way, stamp }));
}

/** The right in one word. */
export const wordOf = (known: KnownRight) => (known === null || known === 'asking' ? known : known.right);

/** The same way to free something, or the same action of one way. */
export const isSameWay = (a: Action, b: Action): boolean =>
  ('how' in a ? a.how : null) === ('how' in b ? b.how : null);

/**
 * The requested way, or where that is refused a gentler one, never a harsher one. `rights`: those of its ways, in their
 * order.
 */
export function openingWay(action: Action, world: World, rights: readonly KnownRight[]): Action {
  const ways = waysOf(action, world);
  const requestedIndex = ways.findIndex((way) => isSameWay(way, action));
  const isDenied = (i: number) => wordOf(rights[i] ?? null) === 'no';
  return isDenied(requestedIndex)
    ? (ways.find((_way, i) => i > requestedIndex && !isDenied(i)) ?? action)
    : action;
}

/** One answer for several ways: the best of them. */
export function bestOf(rights: readonly KnownRight[]): KnownRight {
  const order = ['yes', 'asking', 'unknown', null, 'no'];
  const rank = (known: KnownRight) => order.indexOf(wordOf(known));
  return rights.reduce((best, one) => (rank(one) < rank(best) ? one : best), rights[0] ?? null);
}

/** The reason by the action's key and the right to it; `null`: no known objection. */
export function deniedReason(right: KnownRight, action: Action, world: World, m: Messages): string | null {
  const may = permission(action, world);
  if (!may.allowed && may.reason.code === 'key-refused') return worded(may.reason, m.why);
  const { rights } = m.identity;
  if (right === 'asking') return rights.asking;
  const commands = right?.needs.flatMap(({ code, facts }) => (code === 'redis-command' ? facts.command : []));
  if (right?.right === 'no' && commands !== undefined && commands.length > 0)
    return rights.redis(commands.join(rights.and));
  return right?.right === 'no'
    ? rights.no(right.needs.map((one) => worded(one, rights.needs)).join(rights.and))
    : null;
}
