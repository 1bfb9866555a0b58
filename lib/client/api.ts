/**
 * The one way in which the browser asks the server for an action. Expected failures come back as a `Problem`,
 * whatever broke: the caller shows a sentence for its code and keeps what was typed.
 */
import type { Action, Expect } from '@/lib/domain/action';
import type { Outcome, Plan } from '@/lib/domain/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { call } from './call';
import { paths } from './paths';

/** A plan with what it read, to be sent back unchanged. */
export interface Planned {
  readonly plan: Plan;
  readonly expect: Expect;
}

/** A problem as it came over the wire; `now` is whatever the server says the present state is. */
function problemOf(body: unknown, response: Response): Problem {
  if (isProblem(body)) return body;
  const { status } = response;
  const code = status === 403 ? 'forbidden' : status >= 400 && status < 500 ? 'invalid' : 'unavailable';
  return { code, why: { code: 'server-answered', facts: { status } } };
}

const post = (body: unknown, signal: AbortSignal) =>
  call(paths.api.actions(), { method: 'POST', body, signal });

function has<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}

/**
 * Asks for a dry run. Writes nothing, so a broken link is `unavailable`.
 * Rejects only when `signal` aborts.
 */
export async function planAction(
  action: Action,
  reason: string,
  signal: AbortSignal,
): Promise<Planned | Problem> {
  try {
    const { response, answer } = await post({ mode: 'plan', action, reason }, signal);
    if (response.ok && has(answer, 'plan') && has(answer, 'expect')) return answer as unknown as Planned;
    return problemOf(answer, response);
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}

/** What to apply: the action, and what its plan read. */
export interface Apply {
  readonly action: Action;
  readonly expect: Expect;
  readonly reason: string;
}

/**
 * Does it. Once the request has left, a link that breaks or an answer that cannot be read says nothing about what
 * was written: that is `unknown-result`, never `unavailable`. Rejects only when `signal` aborts.
 */
export async function applyAction(
  { action, expect, reason }: Apply,
  signal: AbortSignal,
): Promise<Outcome | Problem> {
  try {
    const { response, answer } = await post({ mode: 'apply', action, expect, reason }, signal);
    if (response.ok && has(answer, 'outcome')) return answer.outcome as Outcome;
    if (isProblem(answer) || (response.status >= 400 && response.status < 500))
      return problemOf(answer, response);
    return {
      code: 'unknown-result',
      why: { code: 'server-answered', facts: { status: response.status } },
    };
  } catch {
    signal.throwIfAborted();
    return { code: 'unknown-result', why: { code: 'server-not-reached', facts: {} } };
  }
}
