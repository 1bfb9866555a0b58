/**
 * The person behind a secret, by a recent answer of the backend. A token that the backend has forgotten stops working
 * here too. The heartbeat of a watch with the same token reports a loss sooner (`forget`).
 */
import { createHash } from 'node:crypto';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend, SignedIn } from '@/lib/domain/seam/backend';

export interface Credentials {
  /**
   * `signed-out` when the backend does not know the secret. During an outage, the last answer for `outageMs`; without
   * one, the outage.
   */
  whoIs(secret: string): Promise<SignedIn | Problem>;
  /** Confirmed and not refused since. The last 1,000 are remembered. */
  knows(secret: string): boolean;
  /** Asks the backend now. */
  ask(secret: string): Promise<SignedIn | Problem>;
  /** The backend no longer knows the secret. `name`: from `credentialName`. */
  forget(name: string): void;
}

/** Until this age, no question is asked. */
const freshMs = 10_000;
/** Until this age, an answer is used while the backend is asked. */
const oldMs = 60_000;
/** Until this age, an answer is used during an outage. */
const outageMs = 15 * 60_000;
/** Longest wait for an answer, and the rest before the next question after a failure. */
const waitMs = 2_500;
const knownMax = 1_000;
const lateAnswer: Problem = { code: 'unavailable', why: { code: 'no-answer', facts: { timeoutMs: waitMs } } };

interface KnownCredential {
  readonly who: SignedIn;
  readonly atMs: number;
}

/** Memory holds a secret by this digest, to have fewer copies. */
export const credentialName = (secret: string) => createHash('sha256').update(secret).digest('hex');

export function createCredentials({
  backend,
  now,
}: {
  backend: Pick<Backend, 'signIn'>;
  now: () => number;
}): Credentials {
  const known = new Map<string, KnownCredential>();
  const inFlight = new Map<string, Promise<SignedIn | Problem>>();
  const failed = new Map<string, { readonly problem: Problem; readonly atMs: number }>();

  const learn = async (secret: string, name: string): Promise<SignedIn | Problem> => {
    const signal = AbortSignal.timeout(waitMs);
    const answer: SignedIn | Problem = await backend.signIn(secret, signal).catch((error: unknown) => {
      if (signal.aborted) return lateAnswer;
      throw error;
    });
    if (!isProblem(answer)) {
      failed.delete(name);
      known.delete(name);
      known.set(name, { who: answer, atMs: now() });
      for (const oldest of known.keys()) if (known.size > knownMax) known.delete(oldest);
    } else if (answer.code === 'signed-out') known.delete(name);
    else {
      failed.set(name, { problem: answer, atMs: now() });
      for (const oldest of failed.keys()) if (failed.size > knownMax) failed.delete(oldest);
    }
    return answer;
  };
  const ask = (secret: string): Promise<SignedIn | Problem> => {
    const name = credentialName(secret);
    const pending = inFlight.get(name);
    if (pending !== undefined) return pending;
    const request = learn(secret, name).finally(() => inFlight.delete(name));
    inFlight.set(name, request);
    return request;
  };
  /** An answer "later" than now may be of any age, as the clock was set back. */
  const ageOf = ({ atMs }: { readonly atMs: number }) => {
    const ageMs = now() - atMs;
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs;
  };
  const isOver = ({ who }: KnownCredential) => who.endsAtMs !== null && now() >= who.endsAtMs;

  return {
    knows: (secret) => known.has(credentialName(secret)),
    ask,
    whoIs: async (secret) => {
      const name = credentialName(secret);
      const before = known.get(name);
      const ageMs = before === undefined || isOver(before) ? Number.POSITIVE_INFINITY : ageOf(before);
      if (before !== undefined && ageMs < freshMs) return before.who;
      const failure = failed.get(name);
      const resting = failure !== undefined && ageOf(failure) < waitMs;
      if (before !== undefined && ageMs < oldMs) {
        if (!resting) void ask(secret).catch(() => {});
        return before.who;
      }
      const answer = resting ? failure.problem : await ask(secret);
      const outage = isProblem(answer) && answer.code !== 'signed-out';
      return outage && before !== undefined && ageMs < outageMs ? before.who : answer;
    },
    forget: (name) => {
      known.delete(name);
    },
  };
}
