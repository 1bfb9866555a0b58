/** What a rule is, and what it may ask. A rule is a row: `table.ts` has them all. */
import type { Action } from '@/lib/domain/actions/action';
import type { FindingCode, FindingFacts, Ground, Severity } from '@/lib/domain/findings/finding';
import type {
  EvidenceCode,
  Holder,
  Lock,
  Party,
  Semaphore,
  Session,
  Subject,
  Waiter,
  World,
} from '@/lib/domain/model';
import { factsOf } from '@/lib/domain/verdict';

/** What a rule says of one subject. */
export interface Found<C extends FindingCode> {
  readonly severity: Severity;
  readonly facts: FindingFacts[C];
  /** Who or what it rests on; none where the facts say it all. */
  readonly grounds?: readonly Ground[];
  readonly mend: Action | null;
}

export interface Context {
  readonly world: World;
  session(id: string): Session | null;
}

interface Rows {
  readonly lock: Lock;
  readonly semaphore: Semaphore;
  readonly session: Session;
}

interface AboutRow<C extends FindingCode, K extends keyof Rows> {
  readonly code: C;
  readonly about: K;
  /**
   * What is wrong with this one, or `null`. It follows from the row, for a lock also from its holder's session, and for
   * a session from the scope: it is asked when one of them has changed.
   */
  look(row: Rows[K], context: Context): Found<C> | null;
}

interface AboutWorld<C extends FindingCode> {
  readonly code: C;
  readonly about: 'world';
  /**
   * For what only the semaphores together show. It leaves at once when there is nothing to look for, and is asked again
   * when a semaphore has changed, or anything while it finds something.
   */
  look(
    world: World,
    context: Context,
  ): readonly (Found<C> & { readonly subject: Subject; readonly also: readonly Subject[] })[];
}

export type RuleAbout<K extends keyof Rows> = { [C in FindingCode]: AboutRow<C, K> }[FindingCode];
export type RuleOfWorld = { [C in FindingCode]: AboutWorld<C> }[FindingCode];
export type Rule = RuleAbout<'lock'> | RuleAbout<'semaphore'> | RuleAbout<'session'> | RuleOfWorld;

/** Evicting one holder, with everything that its session holds; `null` where it could not be taken off the record. */
export function evict(
  { prefix, unwritable }: Pick<Semaphore, 'prefix' | 'unwritable'>,
  { sessionId }: Pick<Holder, 'sessionId'>,
): Action | null {
  return unwritable ? null : { type: 'semaphore.evict', prefix, sessionId, how: 'destroy-session' };
}

/** Releasing a lock so that its lock-delay protects the next holder. */
export function release(key: string): Action {
  return { type: 'lock.release', key, how: 'destroy-session' };
}

const nothing: readonly [] = [];

/** Rules look at one holder one after the other, and what they find is kept for as long as it holds. */
let last: Extract<Subject, { kind: 'session' }> = { kind: 'session', id: '' };
function sessionSubject(id: string): Subject {
  if (last.id !== id) last = { kind: 'session', id };
  return last;
}

/** A session that a finding rests on. `codes`: only the facts that decide, where many subjects have the finding. */
export function ground(
  party: Party,
  mend: Action | null = null,
  codes: ReadonlySet<EvidenceCode> | null = null,
): Ground {
  const { sessionId, label, verdict, evidence } = party;
  return {
    subject: sessionSubject(sessionId),
    label,
    verdict,
    evidence: codes === null ? evidence : factsOf(evidence.filter(({ code }) => codes.has(code))),
    wants: nothing,
    mend,
  };
}

/** Whether a slot that one of these waiters needs is taken: every slot is, and somebody waits. */
export function isWaitedFor({ limit, recorded, waiters }: Semaphore): boolean {
  return limit !== null && recorded !== null && recorded >= limit && waiters.length > 0;
}

/** A count of those in view. `null`: none is, and there may be some whom this reader may not see. */
export const countInView = (n: number, { part }: Pick<Semaphore, 'part'>): number | null =>
  n === 0 && part ? null : n;

/** Contenders that are really there. */
export function contenders({ holders, waiters }: Semaphore): readonly (Holder | Waiter)[] {
  return [...holders.filter(({ verdict }) => verdict !== 'ghost'), ...waiters];
}
