/** The risks of taking a lock or a slot from its holder, for a plan, and for an explanation before there is a plan. */
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf } from '@/lib/domain/holders';
import type { Layout } from '@/lib/domain/layout';
import { heirsAmong } from '@/lib/domain/members';
import {
  type Lock,
  likelyDead,
  type Party,
  type Semaphore,
  type Session,
  type World,
} from '@/lib/domain/model';
import { isOf, sessionSubject } from '@/lib/domain/subject';
import { type Action, descriptorOf, find } from './action';
import type { Warning, WarningFacts } from './plan';
import { targetOf } from './whom';

export const noLockDelay = (because: WarningFacts['no-lock-delay']['because']): Warning => ({
  code: 'no-lock-delay',
  facts: { because },
});

/**
 * A lock-delay must cover the time until the old holder learns of its end; a process pause or a slow network alone
 * takes longer. Patroni, consul-template and libkv ask for 1 ms to mean none, because 0 is the default of 15 s in some
 * clients.
 */
export const delayMinMs = 1_000;

/** The protection of the next holder of a lock whose session is destroyed. `null`: the session is not visible. */
export const lockDelayOf = (lockDelayMs: number | null): Warning =>
  lockDelayMs !== null && lockDelayMs < delayMinMs
    ? noLockDelay('session')
    : { code: 'lock-delay-protects', facts: { lockDelayMs } };

/**
 * Warns when nothing suggests that the process is dead. A backend's server that is down suggests nothing, because
 * hardly any holder runs there.
 */
export function splitBrainOf({
  node,
  nodeStatus,
  onServer,
}: Pick<Session, 'node' | 'nodeStatus'> & { readonly onServer: boolean }): Warning[] {
  if (!onServer && nodeStatus !== 'passing') return [];
  return [{ code: 'split-brain', facts: { node: onServer ? null : node } }];
}

export const holdsMore = (others: number): Warning[] =>
  others === 0 ? [] : [{ code: 'holds-more', facts: { others } }];

/** The way in which a client learns that it has lost its hold, and how fast. */
export function holderNotices(of: Lock | Semaphore, world: Pick<World, 'locks'>): Warning {
  const heirs = of.kind === 'lock' ? (heirsAmong(of, world)?.length ?? null) : null;
  return { code: 'holder-notices', facts: { layout: of.layout, heirs } };
}

/** Layouts of `consul lock`, which ends its command when it has lost the lock; killed or stopped it cannot (command/lock/lock.go). */
const withCommand: ReadonlySet<Layout> = new Set<Layout>(['consul-lock', 'go-semaphore']);

/** True when the session is bound to a server of the backend, which is hardly the host of the process. */
export const isOnServer = ({ evidence }: Pick<Party, 'evidence'>): boolean =>
  evidence.some(({ code }) => code === 'server-node' || code === 'bound-to-server');

export function commandLeft(layout: Layout, party: Party | null): Warning[] {
  if (party === null || !likelyDead.has(party.verdict) || !withCommand.has(layout)) return [];
  return [
    { code: 'command-left', facts: { node: isOnServer(party) ? null : (party.session?.node ?? null) } },
  ];
}

/**
 * The risks that follow from the view, in order of weight. The plan reads again, and may add more. Empty where the
 * action takes nothing from a holder.
 */
export function risksOf(action: Action, world: World): readonly Warning[] {
  if (action.type === 'lock.wake') return [{ code: 'redis-wake-changes-nothing', facts: {} }];
  const { hits } = descriptorOf(action);
  if (hits !== 'holder' && hits !== 'slot') return [];
  const { lock, semaphore } = find(action, world);
  const row = lock ?? semaphore;
  const id = targetOf(action, lock);
  const holder = row === null ? undefined : holdersOf(row).find(({ sessionId }) => sessionId === id);
  if (row === null || holder === undefined) return [];
  if (capabilities[row.layout].holds !== 'session') return [holderNotices(row, world)];
  const { source } = action;
  const session = world.sessions.find(isOf(sessionSubject({ source, id: holder.sessionId })));
  return [
    ...(session === undefined ? [] : splitBrainOf({ ...session, onServer: isOnServer(holder) })),
    row.kind === 'lock' ? lockDelayOf(session?.lockDelayMs ?? null) : noLockDelay('semaphore'),
    ...commandLeft(row.layout, holder),
    ...holdsMore(Math.max(0, (session?.holds.length ?? 0) - 1)),
    holderNotices(row, world),
  ];
}
