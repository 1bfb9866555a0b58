/** The actions that the palette offers for a text. A choice opens the plan; nothing runs from the palette. */
import type { Action } from '@/lib/domain/actions/action';
import { deleteLock, release } from '@/lib/domain/actions/lock';
import { deleteSemaphore, evict, prune, setLimit } from '@/lib/domain/actions/semaphore';
import { destroySession } from '@/lib/domain/actions/session';
import { holdersWith } from '@/lib/domain/holders';
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
}

type Named = Omit<Offer, 'text'>;

function* ofSemaphore(semaphore: Semaphore, m: Messages): Generator<Named> {
  const { prefix, holders, waiters } = semaphore;
  const of = { name: prefix, label: '', lamp: null };
  const ghosts = holdersWith(semaphore, 'ghost');
  if (ghosts > 0)
    yield {
      ...of,
      action: prune(semaphore.source, [prefix]),
      label: m.action.ghosts(ghosts),
      lamp: 'ghost',
    };
  for (const { sessionId, label, verdict } of holders)
    if (verdict !== 'ghost')
      yield {
        ...of,
        action: evict(semaphore, sessionId),
        label,
        lamp: verdict,
      };
  // The dialog asks for the limit.
  yield { ...of, action: setLimit(semaphore, 1) };
  if (holders.length === 0 && waiters.length === 0) yield { ...of, action: deleteSemaphore(semaphore) };
}

function ofLock(lock: Lock): Named {
  const { key, holder } = lock;
  if (holder === null) return { action: deleteLock(lock), name: key, label: '', lamp: null };
  const { label, verdict } = holder;
  return { action: release(lock), name: key, label, lamp: verdict };
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
    if (of.kind === 'lock') yield ofLock(of);
    else yield* ofSemaphore(of, m);
  for (const session of snapshot.sessions) yield ofSession(session);
}

/** Actions looked for: more are not read, and each may ask the server for a right. */
const offersMax = 8;

/**
 * The first actions that name every word of the text: verb, party, place or session. Whether they are allowed is another
 * question.
 */
export function offersFor(text: string, snapshot: Snapshot, m: Messages): readonly Offer[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const offers: Offer[] = [];
  if (words.length === 0) return offers;
  for (const named of candidates(snapshot, m)) {
    const { action, label, name } = named;
    const whole = titleOf(action, named, m, Number.POSITIVE_INFINITY);
    const sessionId = 'sessionId' in action ? action.sessionId : '';
    const sought = `${whole} ${label} ${name} ${sessionId}`.toLowerCase();
    if (!words.every((word) => sought.includes(word))) continue;
    offers.push({ ...named, text: titleOf(action, named, m) });
    if (offers.length === offersMax) break;
  }
  return offers;
}
