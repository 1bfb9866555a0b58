/**
 * Knows whether the person of one page is still signed in. Every hint makes it ask the server: a refused call, a lost
 * stream (an `EventSource` cannot see a 401), the end by the clock, a sign-in or sign-out in another tab, a hidden page
 * that is shown again.
 *
 *   in --the server says so on the stream, or answers that this browser has no person or another one--> out
 *   out --the same person signs in on this page--> in
 */
import { type Identity, identityKey } from '@/lib/domain/identity';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';

export type SessionState =
  | { readonly at: 'in'; readonly session: Visitor }
  | {
      readonly at: 'out';
      readonly was: Identity;
      readonly problem: Problem;
      /** `null`: none that may look. */
      readonly now: Identity | null;
    };

interface WatchOptions {
  readonly initial: Visitor;
  readonly ask: () => Promise<Visitor | Problem>;
  readonly now: () => number;
}

export interface SessionWatch {
  readonly state: () => SessionState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Asks the server; during a question, asks once more after it. */
  readonly look: () => void;
  readonly end: (problem: Problem) => void;
  /** Called after a touch, or a sign-in on this page. */
  readonly told: (session: Visitor) => void;
  /** Only in the browser, because a server has no person to watch. */
  readonly start: () => void;
  readonly stop: () => void;
}

/** The server still says "signed in" past the end by this clock. */
const againMs = 15_000;
/** A longer timer would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

/** The reason, where the server's answer gives none: the sign-in ended by the clock, or elsewhere. */
function problemOf(was: Visitor, answer: Visitor, nowMs: number): Problem {
  const isPast = (atMs: number | null) => atMs !== null && nowMs >= atMs;
  const code = answer.why?.code;
  const explains =
    code === 'signed-out-idle' || code === 'signed-out-expired' || code === 'sign-in-not-readable';
  if (answer.why !== null && (explains || code === 'token-unknown'))
    return { code: 'signed-out', why: answer.why };
  if (answer.identity.kind !== 'anonymous')
    return { code: 'signed-out', why: { code: 'somebody-else', facts: {} } };
  if (isPast(was.endsAtMs)) return { code: 'signed-out', why: { code: 'signed-out-expired', facts: {} } };
  if (isPast(was.idleEndsAtMs)) return { code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } };
  return { code: 'signed-out', why: { code: 'signed-out-elsewhere', facts: {} } };
}

type Heed = (answer: Visitor) => void;

export function watchSession({ initial, ask, now }: WatchOptions): SessionWatch {
  let state: SessionState = { at: 'in', session: initial };
  let inFlight = false;
  /** The next question, after the one under way. */
  let next: Heed | null = null;
  /** Counts the news that came without a question: an answer to an older question may be out of date. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  const setState = (next: SessionState) => {
    state = next;
    for (const listener of [...listeners]) listener();
  };
  const arm = (leastMs: number) => {
    clearTimeout(timer);
    if (state.at !== 'in') return;
    const { endsAtMs, idleEndsAtMs } = state.session;
    const ends = [endsAtMs, idleEndsAtMs].filter((atMs) => atMs !== null);
    if (ends.length === 0) return;
    timer = setTimeout(revalidate, Math.min(timerMaxMs, Math.max(leastMs, Math.min(...ends) - now() + 500)));
  };
  const onVisitor: Heed = (answer) => {
    const was = state.at === 'in' ? state.session.identity : state.was;
    if (answer.maySee && identityKey(answer.identity) === identityKey(was)) {
      // An unchanged session keeps its identity, so that nothing renders.
      if (state.at === 'out' || JSON.stringify(state.session) !== JSON.stringify(answer))
        setState({ at: 'in', session: answer });
      arm(againMs);
      return;
    }
    const visitorNow = answer.maySee ? answer.identity : null;
    if (state.at === 'out') setState({ ...state, now: visitorNow });
    else setState({ at: 'out', was, problem: problemOf(state.session, answer, now()), now: visitorNow });
    clearTimeout(timer);
  };
  function askNow(heed: Heed): void {
    inFlight = true;
    const turnBefore = turn;
    ask()
      .then(
        (answer) => {
          if (turnBefore !== turn) next ??= heed;
          // No answer is no sign-out: the page itself shows that it lost the server.
          else if (isProblem(answer)) arm(againMs);
          else heed(answer);
        },
        () => {},
      )
      .finally(() => {
        const pending = next;
        next = null;
        inFlight = false;
        if (pending !== null) askNow(pending);
      });
  }
  function revalidate(): void {
    // The hinted event may be newer than the answer under way.
    if (inFlight) next ??= onVisitor;
    else askNow(onVisitor);
  }
  const end = (problem: Problem) => {
    turn += 1;
    clearTimeout(timer);
    if (state.at === 'in') setState({ at: 'out', was: state.session.identity, problem, now: null });
    // Another person may be signed in already, or anonymous visitors may look: the notice offers to continue as that
    // one. An answer that does not know the announced end yet changes nothing.
    const ofAnother: Heed = (answer) => {
      if (state.at === 'out' && identityKey(answer.identity) !== identityKey(state.was)) onVisitor(answer);
    };
    if (inFlight) next = ofAnother;
    else askNow(ofAnother);
  };
  return {
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    look: revalidate,
    end,
    told: (session) => {
      turn += 1;
      onVisitor(session);
    },
    start: () => arm(0),
    stop: () => clearTimeout(timer),
  };
}
