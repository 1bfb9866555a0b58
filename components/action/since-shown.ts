/**
 * What the live data has come to say about the subject of an open dialog since the page showed it. The dialog keeps to what was
 * shown, so that nothing changes under the finger; this says beside it that it is so no more.
 */
import { same } from '@/lib/domain/change';
import {
  type Holder,
  type Lock,
  likelyDead,
  type Semaphore,
  type Verdict,
  type World,
} from '@/lib/domain/model';
import { cutName } from '@/lib/words/format';
import type { Messages } from '@/lib/words/messages';
import { ghostsOf } from './moved';
import type { Request } from './request';

export type Change =
  | { readonly code: 'gone'; readonly kind: 'lock' | 'semaphore' | 'session' }
  | { readonly code: 'nobody' | 'holderUnknown' | 'retaken' | 'holdings' | 'used' | 'leaks' }
  | { readonly code: 'taken'; readonly label: string }
  | { readonly code: 'noSlot'; readonly label: string | null }
  | { readonly code: 'judged'; readonly before: Verdict; readonly now: Verdict }
  | { readonly code: 'ghosts'; readonly ghosts: number }
  | { readonly code: 'limit'; readonly limit: number | null };

/**
 * Only where it turns likely dead or is so no more, since what is asked of the operator hangs on that alone; and where it turns a
 * ghost or is none, since that is mended in another way: who is recorded by a session that has ended stays recorded.
 */
function judged(before: Verdict, now: Verdict): Change | null {
  if (now === 'ghost' && before !== 'ghost') return { code: 'leaks' };
  if (before !== 'ghost' && likelyDead.has(before) === likelyDead.has(now)) return null;
  return before === now ? null : { code: 'judged', before, now };
}

function ofLock(before: Lock, now: Lock | undefined): Change | null {
  if (now === undefined || now.exists !== before.exists) return { code: 'gone', kind: 'lock' };
  const [was, is] = [before.holder, now.holder];
  if (is === null)
    return was === null ? null : { code: now.state === 'unknown' ? 'holderUnknown' : 'nobody' };
  if (was?.sessionId !== is.sessionId) return { code: 'taken', label: is.label };
  // It counts acquisitions, so who let go and took it again is told from who never left.
  return now.lockIndex === before.lockIndex ? judged(was.verdict, is.verdict) : { code: 'retaken' };
}

function ofHolder(was: Holder, before: Semaphore, now: Semaphore): Change | null {
  const is = now.holders.find(({ sessionId }) => sessionId === was.sessionId);
  if (is !== undefined) return judged(was.verdict, is.verdict);
  const known = new Set(before.holders.map(({ sessionId }) => sessionId));
  const come = now.holders.find(({ sessionId }) => !known.has(sessionId));
  return { code: 'noSlot', label: come?.label ?? null };
}

function ofSemaphore({ action }: Request, before: Semaphore, now: Semaphore | undefined): Change | null {
  if (now === undefined) return { code: 'gone', kind: 'semaphore' };
  switch (action.type) {
    case 'semaphore.evict': {
      const was = before.holders.find(({ sessionId }) => sessionId === action.sessionId);
      return was === undefined ? null : ofHolder(was, before, now);
    }
    case 'semaphore.prune':
      return ghostsOf(before) === ghostsOf(now)
        ? null
        : { code: 'ghosts', ghosts: now.holders.filter(({ verdict }) => verdict === 'ghost').length };
    case 'semaphore.resize':
      return before.limit === now.limit ? null : { code: 'limit', limit: now.limit };
    default: {
      const used = ({ holders, waiters }: Semaphore) => holders.length + waiters.length > 0;
      return used(now) && !used(before) ? { code: 'used' } : null;
    }
  }
}

/** How a session is judged where it holds something: by the first that it really holds, as its plan does. */
function verdictOf(id: string, { locks, semaphores }: World): Verdict | null {
  const holders = [...locks.flatMap(({ holder }) => holder ?? []), ...semaphores.flatMap((s) => s.holders)];
  return holders.find((one) => one.sessionId === id && one.verdict !== 'ghost')?.verdict ?? null;
}

/** `before`: the world when the request was made; `null` while what was shown still holds. */
export function changeSince(request: Request, before: World, now: World): Change | null {
  const { action, lock, semaphore, session } = request;
  if (lock !== null)
    return ofLock(
      lock,
      now.locks.find(({ key }) => key === lock.key),
    );
  if (semaphore !== null)
    return ofSemaphore(
      request,
      semaphore,
      now.semaphores.find(({ prefix }) => prefix === semaphore.prefix),
    );
  if (action.type !== 'session.destroy' || session === null) return null;
  const is = now.sessions.find(({ id }) => id === session.id);
  if (is === undefined) return { code: 'gone', kind: 'session' };
  if (!same(is.holds, session.holds)) return { code: 'holdings' };
  const verdicts = [verdictOf(session.id, before), verdictOf(session.id, now)] as const;
  return verdicts[0] === null || verdicts[1] === null ? null : judged(verdicts[0], verdicts[1]);
}

/** Characters of a name in the one line that there is. */
const labelMax = 24;

export function changeText(change: Change, { sinceShown: words, verdicts }: Messages): string {
  switch (change.code) {
    case 'gone':
      return words.gone[change.kind];
    case 'taken':
      return words.taken(cutName(change.label, labelMax));
    case 'noSlot':
      return words.noSlot(change.label === null ? null : cutName(change.label, labelMax));
    case 'judged':
      return change.now === 'alive'
        ? words.aliveAgain
        : words.judged(verdicts[change.now].word, verdicts[change.before].word);
    case 'ghosts':
      return words.ghosts(change.ghosts);
    case 'limit':
      return words.limit(change.limit);
    default:
      return words[change.code];
  }
}
