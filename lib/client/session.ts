/** Who this browser is to the server: asked, signed in, kept awake, signed out. A token passes through, and stays nowhere. */
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

async function ask(calling: Promise<Answer>, signal: AbortSignal): Promise<Visitor | Problem> {
  try {
    return visitorOf(await calling);
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}

/** Asks who this browser is. Counts as nothing done. Rejects only when `signal` aborts, as all of these. */
export function askSession(signal: AbortSignal): Promise<Visitor | Problem> {
  return ask(call(paths.api.session(), { method: 'GET', asAnybody: true, signal }), signal);
}

/** Signs in with a token. The sealed cookie comes with the answer; no script can read it. */
export function signIn(token: string, signal: AbortSignal): Promise<Visitor | Problem> {
  return ask(call(paths.api.session(), { method: 'POST', body: { token }, asAnybody: true, signal }), signal);
}

/** Says that the person at this page did something. */
export function touchSession(signal: AbortSignal): Promise<Visitor | Problem> {
  return ask(call(paths.api.session(), { method: 'PUT', signal }), signal);
}

/** Signs out; `null` once the server has done it. */
export async function signOut(signal: AbortSignal): Promise<Problem | null> {
  try {
    const answered = await call(paths.api.session(), { method: 'DELETE', asAnybody: true, signal });
    if (answered.response.ok) return null;
    const said = visitorOf(answered);
    return isProblem(said) ? said : null;
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}
