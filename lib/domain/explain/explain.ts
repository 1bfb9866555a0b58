/**
 * Explains why a lock or semaphore is stuck: the chain of waits, the event that would end it, and the action that would
 * end it now. Facts come only from the view. Facts hidden by the backend or a person's rights are named as missing or
 * left out, never guessed.
 */
import { type Action, permission } from '@/lib/domain/actions/action';
import { release, wakeWaiters } from '@/lib/domain/actions/lock';
import { risksOf } from '@/lib/domain/actions/risk';
import { evict } from '@/lib/domain/actions/semaphore';
import { capabilities, freeOf, waitingOf } from '@/lib/domain/capabilities';
import type { Finding, FindingCode } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import { areHoldersHidden, doubts, holdersOf, holdersWith, unlistedHolders } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, Session, Verdict, World } from '@/lib/domain/model';
import { isOf, sessionSubject } from '@/lib/domain/subject';
import { endsOf } from './ends';
import type { Block, End, Explanation, Now, WithEvidence } from './fact';
import { type Way, wayUp } from './root';

/**
 * Findings of something that stands still. The others that need a person are about risks, rates and settings. Nothing
 * waits for their end, so only their own sentence explains them.
 */
const standing: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'ghost-slots',
  'overdue-holder',
  'suspect-holder',
  'endless-holder',
  'unreadable-entry',
  'deadlock',
  'dead-queue-head',
  'sleeping-waiters',
]);

/** Ordinary waits are shorter. An explanation of each would come and go with every hand-over. */
export const waitMs = 30_000;

export interface Stuck {
  readonly of: Lock | Semaphore;
  /** The findings about `of`. */
  readonly findings: readonly Finding[];
  readonly world: World;
  /**
   * The action that the findings recommend. Where a person has to judge first, it is the one against the holder in the
   * deepest doubt.
   */
  readonly remedy: Action | null;
}

const none: WithEvidence<never>['evidence'] = [];
const bare = <F>(fact: F): WithEvidence<F> => ({ fact, evidence: none });
const of = <F>(fact: F, { evidence }: Pick<Party, 'evidence'>): WithEvidence<F> => ({ fact, evidence });

const oldest = <P extends Party>(parties: readonly P[]): P | null =>
  parties.reduce<P | null>(
    (first, one) =>
      first === null ||
      (one.since?.atMs ?? Number.POSITIVE_INFINITY) < (first.since?.atMs ?? Number.POSITIVE_INFINITY)
        ? one
        : first,
    null,
  );

/** Any of those listed may be the one that holds. */
const mayHold = (row: Lock | Semaphore): boolean =>
  row.kind === 'lock' ? row.state === 'unknown' : areHoldersHidden(row);

/** `null`: no waiters are known, or their start is not. */
function waitedSinceMs(row: Lock | Semaphore): number | null {
  if (mayHold(row)) return null;
  const first = oldest(row.waiters ?? []);
  if (first !== null) return first.since?.atMs ?? null;
  // Waiters that are only counted may have come before or after the present holders. They wait for these holders.
  if ((waitingOf(row) ?? 0) === 0) return null;
  const since = holdersOf(row).flatMap((holder) => holder.since?.atMs ?? []);
  return since.length === 0 ? null : Math.max(...since);
}

function isFree(row: Lock | Semaphore): boolean {
  if (row.kind === 'lock') return row.state === 'free';
  const free = freeOf(row);
  if (free !== undefined) return free !== null && free > 0;
  return row.limit !== null && row.recorded !== null && row.recorded < row.limit;
}

/**
 * The instant from which the row counts as stuck, in epoch milliseconds; `null`: not stuck. A finding of something that
 * stands still and needs a person counts at once. Otherwise a client must have waited for `waitMs`.
 */
export function stuckFromMs({ of: row, findings }: Pick<Stuck, 'of' | 'findings'>): number | null {
  if (findings.some((finding) => needsHuman(finding) && standing.has(finding.code))) return 0;
  const sinceMs = isFree(row) ? null : waitedSinceMs(row);
  return sinceMs === null ? null : sinceMs + waitMs;
}

/** `null`: it is not stuck, and no client has waited for long, now or soon. */
export function explain(stuck: Stuck): Explanation | null {
  const fromMs = stuckFromMs(stuck);
  if (fromMs === null) return null;
  const way = wayUp(stuck.of, stuck.world);
  return { fromMs, blocks: blocksOf(stuck, way), ends: endsIn(stuck, way), now: nowOf(stuck, way) };
}

const find = <C extends FindingCode>(findings: readonly Finding[], code: C) =>
  findings.find((one): one is Extract<Finding, { code: C }> => one.code === code);

function blocksOf({ of: row, findings }: Stuck, way: Way | null): WithEvidence<Block>[] {
  return [...wayBlocks(findings, way), ...holderBlocks(row, findings), ...waitBlocks(row, findings)];
}

/** Steps of a long way are only counted, because its ends show who has to act. */
const stepsShown = 2;

function wayBlocks(findings: readonly Finding[], way: Way | null): WithEvidence<Block>[] {
  const deadlock = find(findings, 'deadlock');
  if (deadlock !== undefined) {
    const { clients, first, second, behind } = deadlock.facts;
    return [{ fact: { code: 'deadlock', clients, first, second, behind }, evidence: none }];
  }
  if (way === null) return [];
  const { root, knot, passing } = way;
  const steps = passing.map(
    ({ client, wants }, i): WithEvidence<Block> =>
      bare({ code: 'passes-on', who: client.label, name: wants.prefix, here: i === 0 }),
  );
  // From the root down to the holder here.
  const down = steps.reverse();
  const left = down.length - stepsShown;
  const shortened =
    left <= 0
      ? down
      : [...down.slice(0, 1), bare<Block>({ code: 'between', clients: left }), ...down.slice(-1)];
  if (knot !== null) {
    const [first = '', second = ''] = knot.labels;
    const { clients, behind } = knot;
    return [
      bare({ code: 'deadlock', clients: clients.length, first, second, behind }),
      ...shortened.slice(-1),
    ];
  }
  if (root === null) return shortened.slice(-1);
  const { holder, semaphore } = root;
  const { label: who, verdict, since } = holder;
  return [of({ code: 'root', who, name: semaphore.prefix, verdict, since }, holder), ...shortened];
}

function holderBlocks(row: Lock | Semaphore, findings: readonly Finding[]): WithEvidence<Block>[] {
  const { holds } = capabilities[row.layout];
  if (row.kind === 'semaphore') return slotBlocks(row);
  const holder = oldest(holdersOf(row));
  if (holder !== null) {
    const { label: who, verdict, since } = holder;
    return [of({ code: 'holder', who, verdict, since, more: holdersOf(row).length - 1, holds }, holder)];
  }
  if (row.state === 'delayed') return [bare({ code: 'refused', untilMs: row.delayedUntilMs })];
  // The finding about those who sleep says that it is free.
  if (row.state === 'free') return find(findings, 'sleeping-waiters') ? [] : [bare({ code: 'free' })];
  return [bare({ code: 'unknown' })];
}

/** Verdicts in doubt come first. */
const shownOrder: readonly Verdict[] = [...doubts, 'alive'];

function slotBlocks(semaphore: Semaphore): WithEvidence<Block>[] {
  const { holders, recorded, limit, layout } = semaphore;
  if (freeOf(semaphore) !== undefined) return [bare({ code: 'unnamed' })];
  if (areHoldersHidden(semaphore)) return [bare({ code: 'holders-hidden' })];
  if (recorded === null) return [bare({ code: 'unreadable' })];
  const groups = shownOrder.flatMap((verdict): WithEvidence<Block>[] => {
    const listed = holders.filter((holder) => holder.verdict === verdict);
    const first = oldest(listed);
    if (first === null) return [];
    const { label: who, since } = first;
    const n = holdersWith(semaphore, verdict);
    return [of({ code: 'holders', verdict, n, who, since, holds: capabilities[layout].holds }, first)];
  });
  const listedIn = groups.reduce((sum, { fact }) => sum + ('n' in fact ? fact.n : 0), 0);
  const rest = holders.length + unlistedHolders(semaphore) - listedIn;
  return [
    bare({ code: 'slots', recorded, limit: semaphore.limitBasis === 'at-least' ? null : limit }),
    ...groups,
    ...(rest > 0 ? [bare<Block>({ code: 'unlisted', n: rest })] : []),
  ];
}

function waitBlocks(row: Lock | Semaphore, findings: readonly Finding[]): WithEvidence<Block>[] {
  const dead = find(findings, 'dead-queue-head');
  if (dead !== undefined) {
    const { label: who, behind } = dead.facts;
    return [{ fact: { code: 'dead-head', who, behind }, evidence: dead.grounds[0]?.evidence ?? none }];
  }
  const asleep = find(findings, 'sleeping-waiters');
  if (asleep !== undefined) return [bare({ code: 'asleep', n: asleep.facts.waiting })];
  // The unknown holder is said already.
  if (mayHold(row)) return [];
  const { waiters: shown } = capabilities[row.layout];
  if (shown === 'hidden') return [bare({ code: 'waits-untold', why: 'no-trace' })];
  const waiters = row.waiters ?? [];
  if (waiters.length === 0) {
    const counted = waitingOf(row);
    if (shown === 'counted' || counted === null)
      return [
        counted === null
          ? bare({ code: 'waits-untold', why: 'not-counted' })
          : bare({ code: 'waits-counted', n: counted }),
      ];
  }
  const first = oldest(waiters);
  const isPart = row.kind === 'semaphore' && row.part === true;
  const waits: Block = {
    code: 'waits',
    n: waiters.length,
    who: first?.label ?? null,
    since: first?.since ?? null,
  };
  return [
    ...(waiters.length === 0 && isPart ? [] : [{ fact: waits, evidence: first?.evidence ?? none }]),
    ...(isPart ? [bare<Block>({ code: 'waits-hidden' })] : []),
  ];
}

const sessionIn =
  ({ sessions }: Pick<World, 'sessions'>, { source }: Lock | Semaphore) =>
  (id: string): Session | null =>
    sessions.find(isOf(sessionSubject({ source, id }))) ?? null;

function endsIn({ of: row, findings, world }: Stuck, way: Way | null): readonly WithEvidence<End>[] {
  if (find(findings, 'deadlock') !== undefined || (way !== null && way.root === null))
    return [bare({ code: 'none-of-them' })];
  if (find(findings, 'sleeping-waiters') !== undefined) return [bare({ code: 'waiters-time-out' })];
  if (find(findings, 'unreadable-entry') !== undefined) return [bare({ code: 'entry-stays' })];
  if (way?.root != null) {
    const { semaphore, holder } = way.root;
    return endsOf(semaphore, [holder], sessionIn(world, semaphore));
  }
  const dead = find(findings, 'dead-queue-head');
  const head: WithEvidence<End>[] =
    dead === undefined ? [] : [bare({ code: 'dead-head-stays', who: dead.facts.label })];
  if (row.kind === 'lock' && row.state === 'delayed')
    return row.delayedUntilMs === null ? head : [...head, bare({ code: 'delay', atMs: row.delayedUntilMs })];
  return [...head, ...endsOf(row, holdersOf(row), sessionIn(world, row))];
}

function nowOf({ of: row, findings, world, remedy }: Stuck, way: Way | null): Now {
  const action = remedy ?? actionFor(row, findings, way);
  if (action === null) return null;
  const allowed = permission(action, world);
  if (!allowed.allowed) return { refused: allowed.reason };
  return { action, risks: risksOf(action, world) };
}

/** The action where no finding recommends one: against the root, or against the one holder of a lock. */
function actionFor(row: Lock | Semaphore, findings: readonly Finding[], way: Way | null): Action | null {
  if (way !== null) {
    const { root } = way;
    if (root === null || !capabilities[root.semaphore.layout].releases || root.holder.verdict === 'ghost')
      return null;
    return evict(root.semaphore, root.holder.sessionId);
  }
  // A choice among holders of which none is in doubt is the operator's own.
  if (row.kind === 'semaphore') return null;
  if (find(findings, 'sleeping-waiters') !== undefined && capabilities[row.layout].wakes)
    return wakeWaiters(row);
  return capabilities[row.layout].releases && holdersOf(row).length === 1 ? release(row) : null;
}
