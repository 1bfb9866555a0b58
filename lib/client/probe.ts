/** Rejects only when `signal` aborts. */

import { isProblem, type Problem } from '@/lib/domain/problem';
import { type Probed, probeAnswers } from '@/lib/domain/seam/probe';
import type { LockRef } from '@/lib/domain/subject';
import { call } from './call';
import { paths } from './paths';

function isProbed(value: unknown): value is Probed {
  return (
    typeof value === 'object' &&
    value !== null &&
    'answer' in value &&
    (probeAnswers as readonly unknown[]).includes(value.answer)
  );
}

export async function askProbe({ source, key }: LockRef, signal: AbortSignal): Promise<Probed | Problem> {
  try {
    const { response, answer } = await call(paths.api.probe(), {
      method: 'POST',
      body: { source, key },
      signal,
    });
    if (isProblem(answer) || isProbed(answer)) return answer;
    return {
      code: 'unavailable',
      why: { code: 'server-answered', facts: { status: response.status } },
    };
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}
