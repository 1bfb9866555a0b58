/**
 * `POST /api/v1/probe`: one question to the backend about one lock. It costs a write, so it has the guards of an
 * action. It runs at most once in 2 s for a key, over all callers.
 */

import { z } from 'zod';
import { key } from '@/lib/domain/actions/schema';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Probed } from '@/lib/domain/seam/probe';
import { probeRestMs } from '@/lib/domain/seam/probe';
import type { Provider } from '@/lib/domain/seam/provider';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';
import { type LockRef, lockName } from '@/lib/domain/subject';
import { HttpProblem, problemResponse, readJsonBody } from '@/lib/server/http/http';
import { requireSource } from '@/lib/server/http/known-source';
import type { Log } from '@/lib/server/process/log';
import type { Hub } from './hub';

const bodyBytesMax = 16 * 1024;
const timeoutMs = 12_000;
/** More resting keys mean a loop. */
const restingMax = 20;

export const requestSchema = z.strictObject({
  key,
  source: z.string().regex(sourceIdPattern).default(firstSource),
});

export interface Probes {
  /** Asks, or returns why not. `null`: this provider cannot be asked. */
  readonly probe: ((lock: LockRef, signal: AbortSignal) => Promise<Probed | Problem>) | null;
}

export function createProbes({
  provider,
  now,
}: {
  provider: Pick<Provider, 'probe'>;
  now: () => number;
}): Probes {
  const askedAtMs = new Map<string, number>();
  const { probe } = provider;
  if (probe === undefined) return { probe: null };
  return {
    probe: (lock, signal) => {
      const key = lockName(lock);
      const nowMs = now();
      // A clock that was set back must not keep keys resting.
      for (const [name, atMs] of askedAtMs)
        if (nowMs - atMs >= probeRestMs || nowMs < atMs) askedAtMs.delete(name);
      if (askedAtMs.has(key) || askedAtMs.size >= restingMax)
        throw new HttpProblem({ code: 'busy', why: { code: 'probed-just-now', facts: {} } }, 429);
      askedAtMs.set(key, nowMs);
      return probe(lock, signal);
    },
  };
}

export interface ProbeRuntime {
  readonly hub: Pick<Hub, 'snapshot'>;
  readonly probes: Probes;
  readonly log: Pick<Log, 'info'>;
}

export async function answerProbe(request: Request, runtime: ProbeRuntime): Promise<Response> {
  const { probes, log } = runtime;
  const parsed = requestSchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!parsed.success)
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'request-not-understood', facts: { where: 'key' } },
    });
  if (probes.probe === null)
    throw new ProblemError({ code: 'invalid', why: { code: 'no-probe', facts: {} } });
  const lock = parsed.data;
  requireSource(lock.source, runtime.hub.snapshot().source);
  const result = await probes.probe(lock, AbortSignal.timeout(timeoutMs));
  log.info({ ...lock, outcome: isProblem(result) ? result.code : result.answer }, 'probe');
  if (isProblem(result)) return problemResponse(result);
  return Response.json(result, { headers: { 'cache-control': 'no-store' } });
}
