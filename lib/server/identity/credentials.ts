/**
 * Who presents a secret, as the backend said not long ago. Every request with one is checked against this, so that a
 * token that the backend has forgotten stops working here as well; and one answer serves many requests, so that the
 * backend is not asked for each of them. The heartbeat of whoever watches with a token tells sooner (`forget`).
 */
import { createHash } from 'node:crypto';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend, SignedIn } from '@/lib/domain/seam/backend';

export interface Credentials {
  /**
   * `signed-out` when the backend does not know it. During an outage what was known last, for a while; without that,
   * the outage.
   */
  whoIs(secret: string): Promise<SignedIn | Problem>;
  /** The backend has confirmed this secret and has not refused it since. The last 1,000 confirmed are remembered. */
  knows(secret: string): boolean;
  /** Asks the backend now. */
  ask(secret: string): Promise<SignedIn | Problem>;
  /** The backend does not know it any more. `name`: of `credentialName`. */
  forget(name: string): void;
}

/** Until then it is not asked again. */
const freshMs = 10_000;
/** Until then an old answer serves while it is asked again. */
const oldMs = 60_000;
/** Until then an old answer serves while the backend cannot be asked. */
const outageMs = 15 * 60_000;
/** How long one answer is waited for, and how long after a failure it is asked again. */
const waitMs = 2_500;
const knownMax = 1_000;
const lateAnswer: Problem = { code: 'unavailable', why: { code: 'no-answer', facts: { timeoutMs: waitMs } } };

interface Known {
  readonly who: SignedIn;
  readonly atMs: number;
}

/** By this a secret is kept in memory, so that the secret itself is in one place less. */
export const credentialName = (secret: string) => createHash('sha256').update(secret).digest('hex');

export function createCredentials({
  backend,
  now,
}: {
  backend: Pick<Backend, 'signIn'>;
  now: () => number;
}): Credentials {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<SignedIn | Problem>>();
  const failed = new Map<string, { readonly problem: Problem; readonly atMs: number }>();

  const learn = async (secret: string, name: string): Promise<SignedIn | Problem> => {
    const signal = AbortSignal.timeout(waitMs);
    const said: SignedIn | Problem = await backend.signIn(secret, signal).catch((error: unknown) => {
      if (signal.aborted) return lateAnswer;
      throw error;
    });
    if (!isProblem(said)) {
      failed.delete(name);
      known.delete(name);
      known.set(name, { who: said, atMs: now() });
      for (const oldest of known.keys()) if (known.size > knownMax) known.delete(oldest);
    } else if (said.code === 'signed-out') known.delete(name);
    else {
      failed.set(name, { problem: said, atMs: now() });
      for (const oldest of failed.keys()) if (failed.size > knownMax) failed.delete(oldest);
    }
    return said;
  };
  const ask = (secret: string): Promise<SignedIn | Problem> => {
    const name = credentialName(secret);
    const under = asking.get(name);
    if (under !== undefined) return under;
    const asked = learn(secret, name).finally(() => asking.delete(name));
    asking.set(name, asked);
    return asked;
  };
  /** By a clock that was set back meanwhile nothing is known: what seems to come from later may be of any age. */
  const ageOf = ({ atMs }: { readonly atMs: number }) => {
    const ageMs = now() - atMs;
    return ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs;
  };
  const over = ({ who }: Known) => who.endsAtMs !== null && now() >= who.endsAtMs;

  return {
    knows: (secret) => known.has(credentialName(secret)),
    ask,
    whoIs: async (secret) => {
      const name = credentialName(secret);
      const before = known.get(name);
      const ageMs = before === undefined || over(before) ? Number.POSITIVE_INFINITY : ageOf(before);
      if (before !== undefined && ageMs < freshMs) return before.who;
      const failure = failed.get(name);
      const resting = failure !== undefined && ageOf(failure) < waitMs;
      if (before !== undefined && ageMs < oldMs) {
        // Whatever comes of it is seen by the next request; a bug as well.
        if (!resting) void ask(secret).catch(() => {});
        return before.who;
      }
      const said = resting ? failure.problem : await ask(secret);
      const outage = isProblem(said) && said.code !== 'signed-out';
      return outage && before !== undefined && ageMs < outageMs ? before.who : said;
    },
    forget: (name) => {
      known.delete(name);
    },
  };
}
