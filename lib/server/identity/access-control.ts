/**
 * Remembers whether the backend asks for credentials. An operator can switch access control on at any time; an outage
 * keeps the last answer.
 */
import { AsyncResource } from 'node:async_hooks';
import type { AccessControl } from '@/lib/domain/identity';
import type { Backend } from '@/lib/domain/seam/backend';

/** During `off` the server's own credential writes, so `off` has a short life. */
const freshMs: Readonly<Record<AccessControl, number>> = { on: 5_000, off: 1_000, unknown: 500 };
const waitMs = { unknown: 2_000, known: 250 };
const askMs = 5_000;
/** Longest time that a stranger's stream outlasts the start of access control. */
const lookMs = 1_000;

/** Rejects for a bug only. */
export function createAccessControl({
  backend,
  now,
}: {
  backend: Pick<Backend, 'accessControl'>;
  now: () => number;
}): () => Promise<AccessControl> {
  let known: AccessControl = 'unknown';
  let lastAnswer: AccessControl = 'unknown';
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | null = null;
  const ask = () => {
    inFlight ??= backend
      .accessControl(AbortSignal.timeout(askMs))
      .then((answer) => {
        lastAnswer = answer;
        if (answer !== 'unknown') known = answer;
      })
      .finally(() => {
        inFlight = null;
        askedAtMs = now();
      });
    return inFlight;
  };
  return async () => {
    const ageMs = now() - askedAtMs;
    if (ageMs >= 0 && ageMs < freshMs[lastAnswer]) return known;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timedOut = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, known === 'unknown' ? waitMs.unknown : waitMs.known);
    });
    await Promise.race([ask(), timedOut]).finally(() => clearTimeout(timer));
    return known;
  };
}

export interface AccessWatch {
  /**
   * Calls `onEnd` once with `null` when the backend begins to ask for credentials, because a client admitted without
   * one under `was` must ask again. The returned function stops this.
   */
  follow(was: AccessControl, onEnd: (problem: null) => void): () => void;
}

/** One timer serves all followers, who number thousands. A timer for each would keep its request in memory. */
export function createAccessWatch(accessControl: () => Promise<AccessControl>): AccessWatch {
  const followers = new Set<(problem: null) => void>();
  let timer: ReturnType<typeof setInterval> | null = null;
  const stopIfUnused = () => {
    if (followers.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  const check = async () => {
    if ((await accessControl().catch(() => 'unknown')) !== 'on') return;
    const callbacks = [...followers];
    followers.clear();
    stopIfUnused();
    for (const onEnd of callbacks) onEnd(null);
  };
  // Bound outside the first follower's request, which the timer would keep in memory.
  const start = AsyncResource.bind(() => setInterval(() => void check(), lookMs).unref());
  return {
    follow: (was, onEnd) => {
      if (was === 'on') return () => {};
      followers.add(onEnd);
      timer ??= start();
      return () => {
        followers.delete(onEnd);
        stopIfUnused();
      };
    },
  };
}
