/**
 * Changes of an open dialog's subject since the page showed it. The dialog keeps the shown state, and this appears
 * beside it.
 */

import type { Planned } from '@/lib/client/api';
import { type Action, descriptorOf } from '@/lib/domain/actions/action';
import { targetOf } from '@/lib/domain/actions/whom';
import { freeOf } from '@/lib/domain/capabilities';
import { holdersOf, holdersWith, unlistedHolders, wouldList } from '@/lib/domain/holders';
import {
  type Holder,
  type Lock,
  likelyDead,
  type Party,
  type Renewal,
  type Semaphore,
  type Verdict,
  type World,
} from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import { revivalOf } from '@/lib/domain/revival';
import { firstSource } from '@/lib/domain/source';
import { isOf, lockSubject, semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import { tenureOf } from '@/lib/domain/tenure';
import { same } from '@/lib/domain/world/change';
import { cutName } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { type DialogRequest, heldBy } from './request';

export type Change =
  | { readonly code: 'gone'; readonly kind: 'lock' | 'semaphore' | 'session' }
  | { readonly code: 'nobody' | 'holderUnknown' | 'retaken' | 'overwritten' | 'holdings' | 'used' | 'leaks' }
  | { readonly code: 'aliveAgain' | 'unfollowed' | 'countedAnew' | 'healthUnread' }
  | { readonly code: 'unreadable' | 'unrecorded' }
  | { readonly code: 'taken' | 'waitsNot' | 'letGo'; readonly label: string }
  | { readonly code: 'available'; readonly permits: number | null }
  | { readonly code: 'noSlot'; readonly label: string | null }
  | { readonly code: 'judged'; readonly before: Verdict; readonly now: Verdict }
  | {
      readonly code: 'ghosts';
      readonly left: number;
      /** Some of them did not leak then. */
      readonly others: boolean;
      /** Recorded clients that cannot be judged. */
      readonly untold: number;
    }
  | { readonly code: 'limit'; readonly limit: number | null };

/** A renewal on time stands apart from the evidence. */
function renewedMs({ sessionId, evidence }: Holder, { renewals }: Pick<World, 'renewals'>): number | null {
  const seen = evidence.find(({ code }) => code === 'renewal-observed')?.atMs ?? null;
  return seen ?? renewals?.find(({ id }) => id === sessionId)?.lastMs ?? null;
}

const revivals = {
  seen: 'aliveAgain',
  outlived: 'unfollowed',
  unfollowed: 'unfollowed',
  'counted-anew': 'countedAnew',
  'health-unread': 'healthUnread',
} as const;

/** The change of a holder that was likely dead and is alive. */
function revived(was: Holder, is: Holder, now: World): Change {
  const then = { evidence: was.evidence, renewedMs: renewedMs(was, {}) };
  const revival = revivalOf(was.verdict, then, { evidence: is.evidence, renewedMs: renewedMs(is, now) });
  return revival === 'not-seen'
    ? { code: 'judged', before: was.verdict, now: is.verdict }
    : { code: revivals[revival] };
}

/**
 * Changes that turn a holder likely dead or back, which decides the operator's task, or a ghost or back, which needs
 * another action.
 */
function judged(was: Holder, is: Holder, world: World): Change | null {
  const [before, now] = [was.verdict, is.verdict];
  if (now === 'ghost' && before !== 'ghost') return { code: 'leaks' };
  if (before === now || (before !== 'ghost' && likelyDead.has(before) === likelyDead.has(now))) return null;
  return now === 'alive' ? revived(was, is, world) : { code: 'judged', before, now };
}

const partyIn = (parties: readonly Party[] | null, id: string | null) =>
  parties?.find(({ sessionId }) => sessionId === id) ?? null;

const isOfWaiter = (action: Action): action is Extract<Action, { readonly sessionId: string }> =>
  descriptorOf(action).hits === 'waiter';

/** Compares a waiter: it may wait no longer, or be less dead or alive than it was. */
function ofWaiter(id: string, before: Lock | Semaphore, now: Lock | Semaphore): Change | null {
  const [was, is] = [partyIn(before.waiters, id), partyIn(now.waiters, id)];
  if (is === null) return was === null ? null : { code: 'waitsNot', label: was.label };
  const isJudged = was !== null && (was.verdict === 'ghost') !== (is.verdict === 'ghost');
  return isJudged ? { code: 'judged', before: was.verdict, now: is.verdict } : null;
}

function ofLock({ action }: DialogRequest, before: Lock, world: World): Change | null {
  const now = world.locks.find(isOf(lockSubject(before)));
  if (now === undefined || (before.exists && !now.exists)) return { code: 'gone', kind: 'lock' };
  if (isOfWaiter(action)) return ofWaiter(action.sessionId, before, now);
  if (holdersOf(before).length > 1 || holdersOf(now).length > 1) {
    const id = targetOf(action, before);
    const [held, holds] = [partyIn(holdersOf(before), id), partyIn(holdersOf(now), id)];
    if (held === null) return null;
    return holds === null ? { code: 'letGo', label: held.label } : judged(held, holds, world);
  }
  const [was, is] = [before.holder, now.holder];
  if (is === null)
    return was === null ? null : { code: now.state === 'unknown' ? 'holderUnknown' : 'nobody' };
  if (was?.sessionId !== is.sessionId) return { code: 'taken', label: is.label };
  const tenure = tenureOf(before, now);
  if (tenure === 'retaken') return { code: 'retaken' };
  return judged(was, is, world) ?? (tenure === 'overwritten' ? { code: 'overwritten' } : null);
}

function ofHolder(was: Holder, before: Semaphore, now: Semaphore, world: World): Change | null {
  const is = now.holders.find(({ sessionId }) => sessionId === was.sessionId);
  if (is !== undefined) return judged(was, is, world);
  if (!wouldList(now, was)) return null;
  const known = new Set(before.holders.map(({ sessionId }) => sessionId));
  const newcomer = now.holders.find((one) => !known.has(one.sessionId) && wouldList(before, one));
  return { code: 'noSlot', label: newcomer?.label ?? null };
}

const idsOf = ({ holders }: Semaphore, verdict: Verdict) =>
  holders.filter((one) => one.verdict === verdict).map(({ sessionId }) => sessionId);

function ofGhosts(before: Semaphore, now: Semaphore): Change | null {
  const were = new Set(idsOf(before, 'ghost'));
  const left = holdersWith(now, 'ghost');
  // One that joins the list may have been counted before.
  const others = unlistedHolders(before) === 0 && idsOf(now, 'ghost').some((id) => !were.has(id));
  if (!others && left === holdersWith(before, 'ghost')) return null;
  return { code: 'ghosts', left, others, untold: holdersWith(now, 'unknown') };
}

function ofSemaphore({ action }: DialogRequest, before: Semaphore, world: World): Change | null {
  const now = world.semaphores.find(isOf(semaphoreSubject(before)));
  if (now === undefined) return { code: 'gone', kind: 'semaphore' };
  if (freeOf(before) !== undefined) {
    const permits = freeOf(now) ?? null;
    return permits === freeOf(before) ? null : { code: 'available', permits };
  }
  if (isOfWaiter(action)) return ofWaiter(action.sessionId, before, now);
  if ('limit' in action) return before.limit === now.limit ? null : { code: 'limit', limit: now.limit };
  // The list has no holders then, which proves nothing.
  if (now.recorded === null && before.recorded !== null)
    return { code: now.modifyIndex === null ? 'unrecorded' : 'unreadable' };
  if (descriptorOf(action).hits === 'ghosts') return ofGhosts(before, now);
  if ('sessionId' in action) {
    const was = before.holders.find(({ sessionId }) => sessionId === action.sessionId);
    return was === undefined ? null : ofHolder(was, before, now, world);
  }
  const used = ({ holders, waiters }: Semaphore) => holders.length + waiters.length > 0;
  return used(now) && !used(before) ? { code: 'used' } : null;
}

/** `null` while the shown state holds. */
export function changeSince(request: DialogRequest, world: World): Change | null {
  const { action, lock, semaphore, session, held } = request;
  const { renewals = [] } = world;
  const isHere = ({ source = firstSource }: Renewal) => source === action.source;
  const now: World = { ...world, renewals: renewals.filter(isHere) };
  if (lock !== null) return ofLock(request, lock, now);
  if (semaphore !== null) return ofSemaphore(request, semaphore, now);
  if (descriptorOf(action).hits !== 'session' || session === null) return null;
  const is = now.sessions.find(isOf(sessionSubject(session)));
  if (is === undefined) return { code: 'gone', kind: 'session' };
  if (!same(is.holds, session.holds)) return { code: 'holdings' };
  const holds = heldBy(session, now);
  return held === null || holds === null ? null : judged(held, holds, now);
}

/** Longest name in the one line. */
const labelMax = 24;

export function changeText(change: Change, { sinceShown: words, verdicts }: AllMessages): string {
  switch (change.code) {
    case 'gone':
      return words.gone[change.kind];
    case 'taken':
    case 'waitsNot':
    case 'letGo':
      return words[change.code](cutName(change.label, labelMax));
    case 'available':
      return words.available(change.permits);
    case 'noSlot':
      return words.noSlot(change.label === null ? null : cutName(change.label, labelMax));
    case 'judged':
      return words.judged(verdicts[change.now].word, verdicts[change.before].word);
    case 'ghosts':
      return change.others ? words.otherGhosts : words.ghosts(change.left, change.untold);
    case 'limit':
      return words.limit(change.limit);
    default:
      return words[change.code];
  }
}

const listed = (ids: readonly string[]) => [...ids].sort().join(', ');

function differences({ action, lock, semaphore }: DialogRequest, { plan, saw }: Planned): Difference[] {
  const { hits } = descriptorOf(action);
  if (hits === 'holder' && lock !== null) {
    const before = targetOf(action, lock);
    const now = saw.sessions[0] ?? null;
    if (before !== now) return [{ code: 'holder-changed', facts: { key: lock.key, before, now } }];
  }
  // The page knows no names of ghosts that are only counted. The plan compares them all.
  const isListed = semaphore !== null && unlistedHolders(semaphore) === 0;
  // Plans of other backends give the number of ghosts, and touch no session.
  if (plan.summary.code === 'prune-one' && semaphore !== null && isListed) {
    // The page may show a ghost whose session is hidden from the token. The plan has asked Consul, and names those that
    // it leaves alone.
    const hidden = plan.warnings.flatMap((one) =>
      one.code === 'hidden-stay' ? one.facts.ids.split('\n') : [],
    );
    const before = listed(idsOf(semaphore, 'ghost').filter((id) => !hidden.includes(id)));
    const now = listed(
      plan.touches.flatMap(({ subject }) => (subject.kind === 'session' ? [subject.id] : [])),
    );
    if (before !== now) return [{ code: 'ghosts-changed', facts: { before, now } }];
  }
  if (plan.summary.code === 'set-limit' && semaphore !== null && semaphore.limit !== null) {
    const before = String(semaphore.limit);
    const now = String(plan.summary.facts.before);
    if (before !== now) return [{ code: 'limit-changed', facts: { before, now } }];
  }
  return [];
}

/**
 * The difference between the page and the fresh plan: `stale` when the plan is about something else than the page
 * showed, otherwise `null`. A person who reads only the title would apply a plan for another holder.
 */
export function movedSince(request: DialogRequest, planned: Planned): Problem | null {
  const difference = differences(request, planned);
  if (difference.length === 0) return null;
  return { code: 'stale', why: { code: 'changed-since', facts: {} }, difference };
}
