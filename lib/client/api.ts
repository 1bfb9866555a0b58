/**
 * The browser's only way to ask the server for an action. Every expected failure comes back as a `Problem`: the
 * caller shows its sentence and keeps the typed text.
 */
import type { Action } from '@/lib/domain/actions/action';
import type { Expect, Target } from '@/lib/domain/actions/expect';
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type Answer, call } from './call';
import { paths } from './paths';

/** A plan with the state that it read, to be sent back unchanged, and the parties in that state. */
export interface Planned {
  readonly plan: Plan;
  readonly expect: Expect;
  readonly saw: Target;
}

function problemOf(body: unknown, response: Response): Problem {
  if (isProblem(body)) return body;
  const { status } = response;
  const code = status === 403 ? 'forbidden' : status >= 400 && status < 500 ? 'invalid' : 'unavailable';
  return { code, why: { code: 'server-answered', facts: { status } } };
}

/**
 * Longer than the server takes (`lib/server/actions/actions.ts`), so that only a network that drops packets times out.
 */
const waitMaxMs = { plan: 30_000, apply: 90_000 } as const;

async function post(
  body: { readonly mode: keyof typeof waitMaxMs; readonly [name: string]: unknown },
  signal: AbortSignal,
): Promise<Answer> {
  const end = new AbortController();
  const giveUp = () => end.abort();
  const timer = setTimeout(giveUp, waitMaxMs[body.mode]);
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    return await call(paths.api.actions(), { method: 'POST', body, signal: end.signal });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

function has<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && key in value;
}

/** Writes nothing, so a broken or silent link is `unavailable`. Rejects only when `signal` aborts. */
export async function planAction(
  action: Action,
  reason: string,
  signal: AbortSignal,
): Promise<Planned | Problem> {
  try {
    const { response, answer } = await post({ mode: 'plan', action, reason }, signal);
    if (response.ok && has(answer, 'plan') && has(answer, 'expect') && has(answer, 'saw'))
      return answer as unknown as Planned;
    return problemOf(answer, response);
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}

export interface Apply {
  readonly action: Action;
  readonly expect: Expect;
  readonly reason: string;
}

/**
 * Once the request has left, a broken link or an unreadable answer says nothing about the write: `unknown-result`,
 * never `unavailable`. Rejects only when `signal` aborts.
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
