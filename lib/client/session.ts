/** This browser's session: read, signed in, kept awake, signed out. A token passes through and is never kept. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { type Answer, call } from './call';
import { paths } from './paths';

function isVisitor(value: unknown): value is Visitor {
  return typeof value === 'object' && value !== null && 'identity' in value && 'maySee' in value;
}

function visitorOf({ response, answer }: Answer): Visitor | Problem {
  if (isProblem(answer) || isVisitor(answer)) return answer;
  return { code: 'unavailable', why: { code: 'server-answered', facts: { status: response.status } } };
}

const notReached: Problem = { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };

const inFlight = new Set<AbortController>();
let changing = 0;

/**
 * Each answer may set or clear the cookie. An older question's answer would clear a new cookie, or restore the old one.
 * So a change aborts the questions on their way and blocks others until it is done.
 */
async function change<T>(send: () => Promise<T>): Promise<T> {
  for (const one of inFlight) one.abort();
  changing += 1;
  try {
    return await send();
  } finally {
    changing -= 1;
  }
}

async function ask(
  method: 'GET' | 'PUT',
  asAnybody: boolean,
  signal: AbortSignal,
): Promise<Visitor | Problem> {
  signal.throwIfAborted();
  if (changing > 0) return notReached;
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener('abort', abort, { once: true });
  inFlight.add(controller);
  try {
    return visitorOf(await call(paths.api.session(), { method, asAnybody, signal: controller.signal }));
  } catch {
    signal.throwIfAborted();
    return notReached;
  } finally {
    inFlight.delete(controller);
    signal.removeEventListener('abort', abort);
  }
}

/** Does not count as activity. Like all calls here, rejects only when `signal` aborts. */
export function askSession(signal: AbortSignal): Promise<Visitor | Problem> {
  return ask('GET', true, signal);
}

/** The sealed cookie comes with the answer; no script can read it. */
export async function signIn(token: string, signal: AbortSignal): Promise<Visitor | Problem> {
  const how = { method: 'POST', body: { token }, asAnybody: true, signal } as const;
  try {
    return visitorOf(await change(() => call(paths.api.session(), how)));
  } catch {
    signal.throwIfAborted();
    return notReached;
  }
}

export function touchSession(signal: AbortSignal): Promise<Visitor | Problem> {
  return ask('PUT', false, signal);
}

/** `null` once the server has done it. */
export async function signOut(signal: AbortSignal): Promise<Problem | null> {
  try {
    const how = { method: 'DELETE', asAnybody: true, signal } as const;
    const answered = await change(() => call(paths.api.session(), how));
    if (answered.response.ok) return null;
    const visitor = visitorOf(answered);
    return isProblem(visitor) ? visitor : null;
  } catch {
    signal.throwIfAborted();
    return notReached;
  }
}
