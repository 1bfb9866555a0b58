/**
 * Whether the backend asks for credentials, remembered: every request depends on it. It is asked anew now and then,
 * since an operator can switch it on and restart the backend; an outage changes nothing that is known.
 */
import { AsyncResource } from 'node:async_hooks';
import type { AccessControl } from '@/lib/domain/identity';
import type { Backend } from '@/lib/domain/seam/backend';

/**
 * How long an answer counts. `off` is told by the agent itself at no cost, and while it is believed the server's own
 * credential writes, so it is asked more often.
 */
const freshMs: Readonly<Record<AccessControl, number>> = { on: 5_000, off: 1_000, unknown: 500 };
/** How long a request waits for the answer while nothing is known, and while something is. */
const waitMs = { unknown: 2_000, known: 250 };
const askMs = 5_000;
/** How long a stranger may look on after the backend has begun to ask for credentials. */
const lookMs = 1_000;

/** A function that answers by what is remembered, or within `waitMs`. Rejects for a bug only. */
export function createAccessControl({
  backend,
  now,
}: {
  backend: Pick<Backend, 'accessControl'>;
  now: () => number;
}): () => Promise<AccessControl> {
  let known: AccessControl = 'unknown';
  let said: AccessControl = 'unknown';
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const ask = () => {
    asking ??= backend
      .accessControl(AbortSignal.timeout(askMs))
      .then((answer) => {
        said = answer;
        if (answer !== 'unknown') known = answer;
      })
      .finally(() => {
        asking = null;
        askedAtMs = now();
      });
    return asking;
  };
  return async () => {
    const ageMs = now() - askedAtMs;
    if (ageMs >= 0 && ageMs < freshMs[said]) return known;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, known === 'unknown' ? waitMs.unknown : waitMs.known);
    });
    await Promise.race([ask(), late]).finally(() => clearTimeout(timer));
    return known;
  };
}

export interface AccessWatch {
  /**
   * Calls `tell` with `null`, once, when the backend has begun to ask for credentials: whoever was let in without one by
   * `was` is to ask again whether they still are. Call what is returned to leave.
   */
  follow(was: AccessControl, tell: (problem: null) => void): () => void;
}

/**
 * One look a second for all who follow: a timer of each one's own keeps all that was going on as it was made, and there are
 * thousands of them. Nobody looks while nobody follows.
 */
export function createAccessWatch(accessControl: () => Promise<AccessControl>): AccessWatch {
  const followers = new Set<(problem: null) => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  const rest = () => {
    if (followers.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  const look = async () => {
    // What cannot be found out now is asked by the next look.
    if ((await accessControl().catch(() => 'unknown')) !== 'on') return;
    const told = [...followers];
    followers.clear();
    rest();
    for (const tell of told) tell(null);
  };
  // Outside of `follow`, and apart from the request of the first who follows: it would keep that one for as long as anybody does.
  const start = AsyncResource.bind(() => setInterval(() => void look(), lookMs).unref());
  return {
    follow: (was, tell) => {
      if (was === 'on') return () => {};
      followers.add(tell);
      timer ??= start();
      return () => {
        followers.delete(tell);
        rest();
      };
    },
  };
}
