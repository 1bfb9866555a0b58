/** The warnings of a plan, on the client that is hit, on the next holder, and on everything that stays. */
import { frictionOf, labelOr } from '@/lib/domain/actions/friction';
import type { Warning } from '@/lib/domain/actions/plan';
import type { Layout } from '@/lib/domain/layout';
import type { Party, Waiter } from '@/lib/domain/model';
import type { Entry } from '@/lib/providers/zookeeper/recognise/entry';
import type { Queue } from '@/lib/providers/zookeeper/recognise/locks';
import type { Acting } from './context';

const plain = <C extends PlainCode>(code: C): Warning => ({ code, facts: {} });

type PlainCode =
  | 'zookeeper-requeues'
  | 'zookeeper-lease-requeues'
  | 'zookeeper-latch-two-leaders'
  | 'zookeeper-session-stays'
  | 'zookeeper-may-not-listen'
  | 'zookeeper-asks-only'
  | 'zookeeper-writer-stays'
  | 'zookeeper-stuck-counts';

export const requeues = plain('zookeeper-requeues');
export const leaseRequeues = plain('zookeeper-lease-requeues');
export const twoLeaders = plain('zookeeper-latch-two-leaders');
export const sessionStays = plain('zookeeper-session-stays');
export const mayNotListen = plain('zookeeper-may-not-listen');
export const asksOnly = plain('zookeeper-asks-only');

export const notices = (layout: Layout): Warning => ({
  code: 'holder-notices',
  facts: { layout, heirs: null },
});

/** Names the first waiter that can follow. A stuck lease cannot, and keeps the others out. */
export function next(waiters: readonly Waiter[]): readonly Warning[] {
  const first = waiters.find(({ verdict }) => verdict !== 'ghost');
  const stuck = waiters.some(({ verdict }) => verdict === 'ghost');
  return [
    { code: 'next-in-queue', facts: { first: first?.label ?? null } },
    ...(stuck ? [plain('zookeeper-stuck-counts')] : []),
  ];
}

/** Warns of the holds that stay beside a removed one, of which there is at least one. */
export function holdsStay({ holders }: Pick<Queue, 'holders'>, { kind }: Entry): Warning {
  const readers = holders.length - 1;
  if (kind === 'write') return { code: 'zookeeper-readers-stay', facts: { readers } };
  return holders[0]?.kind === 'write'
    ? plain('zookeeper-writer-stays')
    : { code: 'zookeeper-other-readers-stay', facts: { readers } };
}

/** Other nodes of the same session, as far as they are in view. */
export function ownsMore({ recogniser }: Acting, { node }: Entry): readonly Warning[] {
  const others = recogniser.ownedBy(node.stat.ephemeralOwner) - 1;
  return others > 0 ? [{ code: 'zookeeper-owns-more', facts: { others } }] : [];
}

/** The confirmation asks for the label, or for the number at the end of the node's name. */
export const frictionFor = (party: Party | null) =>
  frictionOf(party, (holder) => labelOr(holder, holder.sessionId.slice(-10)));
