/** The shape of a rule, and its inputs. `table.ts` has all rules. */
import type { Action } from '@/lib/domain/actions/action';
import { release } from '@/lib/domain/actions/lock';
import { evict as evictHolder } from '@/lib/domain/actions/semaphore';
import { capabilities, waitingOf } from '@/lib/domain/capabilities';
import type { FindingCode, FindingFacts, Ground, Severity } from '@/lib/domain/findings/finding';
import { holdersOf } from '@/lib/domain/holders';
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
import { firstSource, type SourceId } from '@/lib/domain/source';
import { type SessionRef, sessionSubject } from '@/lib/domain/subject';
import { factsOf } from '@/lib/domain/verdict';

export interface RuleResult<C extends FindingCode> {
  readonly severity: Severity;
  readonly facts: FindingFacts[C];
  /** The parties behind it; none where the facts are enough. */
  readonly grounds?: readonly Ground[];
  readonly mend: Action | null;
}

export interface Context {
  readonly world: World;
  session(of: SessionRef): Session | null;
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
   * The flaw of this row, or `null`. It may depend only on the row, for a lock also on its holder's session, and for a
   * session on the scope. It runs again when one of them has changed.
   */
  look(row: Rows[K], context: Context): RuleResult<C> | null;
}

interface AboutWorld<C extends FindingCode> {
  readonly code: C;
  readonly about: 'world';
  /**
   * For findings that need all semaphores together. It must return early without a finding; it runs again when a
   * semaphore has changed, or after any change while it finds something.
   */
  look(
    world: World,
    context: Context,
  ): readonly (RuleResult<C> & { readonly subject: Subject; readonly also: readonly Subject[] })[];
}

export type RuleAbout<K extends keyof Rows> = { [C in FindingCode]: AboutRow<C, K> }[FindingCode];
export type RuleOfWorld = { [C in FindingCode]: AboutWorld<C> }[FindingCode];
export type Rule = RuleAbout<'lock'> | RuleAbout<'semaphore'> | RuleAbout<'session'> | RuleOfWorld;

/**
 * Ends a holder with everything that its session holds; `null` where the record cannot be written, or is shown only.
 */
export function evict(
  { source, prefix, unwritable, layout }: Pick<Semaphore, 'source' | 'prefix' | 'unwritable' | 'layout'>,
  { sessionId }: Pick<Holder, 'sessionId'>,
): Action | null {
  return unwritable || !capabilities[layout].releases
    ? null
    : evictHolder({ source, prefix, layout }, sessionId);
}

/** This one alone, where several hold the lock; `null` where it is shown only. */
export function releaseOf(lock: Lock, { sessionId }: Pick<Holder, 'sessionId'>): Action | null {
  if (!capabilities[lock.layout].releases) return null;
  return holdersOf(lock).length > 1 ? release(lock, undefined, sessionId) : release(lock);
}

const nothing: readonly [] = [];

/** Cached, because several rules in turn look at one holder, and findings keep the object. */
let last = sessionSubject({ source: firstSource, id: '' });
function subjectOf(source: SourceId, id: string): Subject {
  if (last.id !== id || last.source !== source) last = sessionSubject({ source, id });
  return last;
}

/** A session behind a finding, in the source of its row. `codes`: only the decisive facts, where many subjects have the finding. */
export function ground(
  { source }: { readonly source: SourceId },
  party: Party,
  mend: Action | null = null,
  codes: ReadonlySet<EvidenceCode> | null = null,
): Ground {
  const { sessionId, label, verdict, evidence } = party;
  return {
    subject: subjectOf(source, sessionId),
    label,
    verdict,
    evidence: codes === null ? evidence : factsOf(evidence.filter(({ code }) => codes.has(code))),
    wants: nothing,
    mend,
  };
}

/** Every slot is taken, and there is a waiter. */
export function isWaitedFor(semaphore: Semaphore): boolean {
  const { limit, recorded } = semaphore;
  return limit !== null && recorded !== null && recorded >= limit && (waitingOf(semaphore) ?? 0) > 0;
}

/** `null`: cannot tell, or none is visible and some may be hidden from this reader. */
export const waitersInView = (of: Lock | Semaphore): number | null => {
  const waiting = waitingOf(of);
  return waiting === null || of.kind === 'lock' ? waiting : countInView(waiting, of);
};

/** `null`: none is visible, but some may be hidden from this reader. */
export const countInView = (n: number, { part }: Pick<Semaphore, 'part'>): number | null =>
  n === 0 && part ? null : n;

export function contenders({ holders, waiters }: Semaphore): readonly (Holder | Waiter)[] {
  return [...holders.filter(({ verdict }) => verdict !== 'ghost'), ...waiters];
}
