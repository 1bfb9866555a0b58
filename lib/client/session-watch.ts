/**
 * Knows, for one page, whether the person it was made for is still signed in. It does not take anybody's word: whatever
 * hints at an end makes it ask the server, but for the one end that the server itself announces on the stream.
 *
 *   in --the server says so on the stream, or answers that this browser is nobody or somebody else--> out
 *   out --the same person signs in on this page--> in
 *
 * Hints: a call was refused, the stream is lost (an `EventSource` cannot see a 401), the end of the sign-in by the
 * clock, another tab signed in or out, the page is looked at again after it was hidden.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';

export type SessionState =
  | { readonly at: 'in'; readonly session: Visitor }
  | {
      readonly at: 'out';
      /** Whose page it was. */
      readonly was: Identity;
      readonly problem: Problem;
      /** Who this browser is now, when that one may look; `null` for nobody. */
      readonly now: Identity | null;
    };

interface WatchOptions {
  readonly initial: Visitor;
  readonly ask: () => Promise<Visitor | Problem>;
  readonly now: () => number;
}

export interface SessionWatch {
  readonly state: () => SessionState;
  /** For `useSyncExternalStore`. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Asks the server; once more after the present question, where it is being asked. */
  readonly look: () => void;
  /** The server has said that it is over. */
  readonly end: (problem: Problem) => void;
  /** The server has said who this browser is: after a touch, or after signing in on this page. */
  readonly told: (session: Visitor) => void;
  /** Starts the clock; the browser's alone, as a server has nobody to watch. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** When the server still says "signed in" past the end by this clock, the clocks differ: it is asked again so much later. */
const againMs = 15_000;
/** A longer timer would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Why it is over, where the server's answer to a stranger does not say: by the clock, or done elsewhere. */
function problemOf(was: Visitor, answer: Visitor, nowMs: number): Problem {
  const over = (atMs: number | null) => atMs !== null && nowMs >= atMs;
  const code = answer.why?.code;
  const told = code === 'signed-out-idle' || code === 'signed-out-expired' || code === 'sign-in-not-readable';
  if (answer.why !== null && (told || code === 'token-unknown'))
    return { code: 'signed-out', why: answer.why };
  if (answer.identity.kind !== 'anonymous')
    return { code: 'signed-out', why: { code: 'somebody-else', facts: {} } };
  if (over(was.endsAtMs)) return { code: 'signed-out', why: { code: 'signed-out-expired', facts: {} } };
  if (over(was.idleEndsAtMs)) return { code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } };
  return { code: 'signed-out', why: { code: 'signed-out-elsewhere', facts: {} } };
}

type Heed = (answer: Visitor) => void;

export function watchSession({ initial, ask, now }: WatchOptions): SessionWatch {
  let state: SessionState = { at: 'in', session: initial };
  let asking = false;
  /** What to do with the answer to the next question, where one more is to be asked after the one under way. */
  let next: Heed | null = null;
  /** Counts what became known without a question: one that was asked before it may be answered as it was before. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  const become = (next: SessionState) => {
    state = next;
    for (const listener of [...listeners]) listener();
  };
  const arm = (leastMs: number) => {
    clearTimeout(timer);
    if (state.at !== 'in') return;
    const { endsAtMs, idleEndsAtMs } = state.session;
    const ends = [endsAtMs, idleEndsAtMs].filter((atMs) => atMs !== null);
    if (ends.length === 0) return;
    timer = setTimeout(look, Math.min(timerMaxMs, Math.max(leastMs, Math.min(...ends) - now() + 500)));
  };
  const heard: Heed = (answer) => {
    const was = state.at === 'in' ? state.session.identity : state.was;
    if (answer.maySee && identityKey(answer.identity) === identityKey(was)) {
      // What did not change keeps its identity, so that nothing renders for it.
      if (state.at === 'out' || JSON.stringify(state.session) !== JSON.stringify(answer))
        become({ at: 'in', session: answer });
      arm(againMs);
      return;
    }
    const nobody = answer.maySee ? answer.identity : null;
    if (state.at === 'out') become({ ...state, now: nobody });
    else become({ at: 'out', was, problem: problemOf(state.session, answer, now()), now: nobody });
    clearTimeout(timer);
  };
  function askNow(heed: Heed): void {
    asking = true;
    const asked = turn;
    ask()
      .then(
        (answer) => {
          if (asked !== turn) next ??= heed;
          // No answer is no sign-out: the page says itself that it has lost the server.
          else if (isProblem(answer)) arm(againMs);
          else heed(answer);
        },
        () => {},
      )
      .finally(() => {
        const again = next;
        next = null;
        asking = false;
        if (again !== null) askNow(again);
      });
  }
  function look(): void {
    // What is hinted at may have happened after the question under way was answered.
    if (asking) next ??= heard;
    else askNow(heard);
  }
  const end = (problem: Problem) => {
    turn += 1;
    clearTimeout(timer);
    if (state.at === 'in') become({ at: 'out', was: state.session.identity, problem, now: null });
    // Somebody else may be signed in already, or a stranger may look: the notice offers to go on as that one. That it
    // is over has been said, so an answer that does not know it yet changes nothing.
    const ofAnother: Heed = (answer) => {
      if (state.at === 'out' && identityKey(answer.identity) !== identityKey(state.was)) heard(answer);
    };
    if (asking) next = ofAnother;
    else askNow(ofAnother);
  };
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look,
    end,
    told: (session) => {
      turn += 1;
      heard(session);
    },
    start: () => arm(0),
    stop: () => clearTimeout(timer),
  };
}
