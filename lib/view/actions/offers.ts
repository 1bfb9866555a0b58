/** The actions that the palette offers for a text. A choice opens the plan; nothing runs from the palette. */
import type { Action } from '@/lib/domain/actions/action';
import { askHolder, deleteLock, release, removeLockWaiter, wakeWaiters } from '@/lib/domain/actions/lock';
import {
  deleteSemaphore,
  evict,
  prune,
  removeSemaphoreWaiter,
  returnPermits,
  setLimit,
} from '@/lib/domain/actions/semaphore';
import { destroySession } from '@/lib/domain/actions/session';
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf, holdersWith } from '@/lib/domain/holders';
import { layouts } from '@/lib/domain/layout';
import { type Lock, type Semaphore, type Session, shortId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Messages } from '@/lib/i18n/messages';
import { type LampKind, rowsOf } from '@/lib/view/board-rows';
import { titleOf } from './button-words';

export interface Offer {
  readonly action: Action;
  /** Verb, object and place. */
  readonly text: string;
  /** The party that loses something; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  /** The verdict on that party; `null` where there is none. */
  readonly lamp: LampKind | null;
  /** True when the text begins with the verb, and so asks for the action and not for its subject. */
  readonly byVerb: boolean;
}

interface Named extends Omit<Offer, 'text' | 'byVerb'> {
  readonly lock?: Lock;
}

function* ofSemaphore(semaphore: Semaphore, m: Messages): Generator<Named> {
  const { prefix, holders, waiters, layout } = semaphore;
  const { releases, removesWaiters, returns, deletes } = capabilities[layout];
  const of = { name: prefix, label: '', lamp: null };
  const ghosts = holdersWith(semaphore, 'ghost');
  if (ghosts > 0 && releases)
    yield {
      ...of,
      action: prune(semaphore.source, [prefix]),
      label: m.action.ghosts(ghosts),
      lamp: 'ghost',
    };
  for (const { sessionId, label, verdict } of releases ? holders : [])
    if (verdict !== 'ghost')
      yield {
        ...of,
        action: evict(semaphore, sessionId),
        label,
        lamp: verdict,
      };
  for (const { sessionId, label, verdict } of removesWaiters ? waiters : [])
    yield { ...of, action: removeSemaphoreWaiter(semaphore, sessionId), label, lamp: verdict };
  // The dialog asks for the number.
  if (returns) yield { ...of, action: returnPermits(semaphore, 1) };
  if (layouts[layout].resize !== null || layout === 'unreadable')
    yield { ...of, action: setLimit(semaphore, 1) };
  if (deletes && holders.length === 0 && waiters.length === 0)
    yield { ...of, action: deleteSemaphore(semaphore) };
}

function* ofLock(lock: Lock): Generator<Named> {
  const { key: name, layout } = lock;
  const { releases, removesWaiters, asks, wakes, deletes } = capabilities[layout];
  const holders = holdersOf(lock);
  const [only, second] = holders;
  // Beside readers another reader gets in.
  if (wakes && (only === undefined || only.mode === 'read'))
    yield { action: wakeWaiters(lock), name, label: '', lamp: null };
  if (deletes && only === undefined) yield { action: deleteLock(lock), name, label: '', lamp: null };
  for (const { sessionId, label, verdict } of holders) {
    const action = second === undefined ? release(lock) : release(lock, undefined, sessionId);
    if (releases) yield { action, name, label, lamp: verdict, lock };
    if (asks) yield { action: askHolder(lock, sessionId), name, label, lamp: verdict };
  }
  for (const { sessionId, label, verdict } of removesWaiters ? (lock.waiters ?? []) : [])
    yield { action: removeLockWaiter(lock, sessionId), name, label, lamp: verdict };
}

const ofSession = ({ source, id, name }: Session): Named => ({
  action: destroySession({ source, id }),
  name: id,
  label: name || shortId(id),
  lamp: null,
});

/** Everything that may be done to what is in view, the most urgent subjects first. */
function* candidates(snapshot: Snapshot, m: Messages): Generator<Named> {
  for (const { of } of [...rowsOf(snapshot)].sort((a, b) => a.urgency - b.urgency))
    if (of.kind === 'lock') yield* ofLock(of);
    else yield* ofSemaphore(of, m);
  for (const session of snapshot.sessions) yield ofSession(session);
}

/** Actions looked for: more are not read, and each may ask the server for a right. */
const offersMax = 8;

/** The first actions that name every word of the text: verb, party, place or session. They may be forbidden. */
export function offersFor(text: string, snapshot: Snapshot, m: Messages): readonly Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const offers: Offer[] = [];
  const [first] = words;
  if (first === undefined) return offers;
  for (const named of candidates(snapshot, m)) {
    const { action, label, name, lamp } = named;
    const whole = titleOf(action, named, m, Number.POSITIVE_INFINITY);
    const sessionId = 'sessionId' in action ? action.sessionId : '';
    const sought = `${whole} ${label} ${name} ${sessionId}`.toLowerCase();
    if (!words.every((word) => sought.includes(word))) continue;
    const byVerb = whole.toLowerCase().startsWith(first) && !`${label} ${name}`.toLowerCase().includes(first);
    offers.push({ action, label, name, lamp, text: titleOf(action, named, m), byVerb });
    if (offers.length === offersMax) break;
  }
  return offers;
}
