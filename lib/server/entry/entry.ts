/**
 * The one way into the API. What must hold for every request is checked first, then who asks is resolved, then what
 * kind of request it is decides what else must hold before it is answered. Every route goes through here
 * (`test/rules.test.ts` looks), so that a guard cannot be forgotten.
 */
import { randomBytes } from 'node:crypto';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import {
  answering,
  problemResponse,
  requireSameOrigin,
  requireSoundAddress,
  requireWriter,
} from '@/lib/server/http/http';
import type { Caller } from '@/lib/server/identity/caller';
import { callerOf } from '@/lib/server/identity/caller';
import { requireSamePerson } from '@/lib/server/identity/person';
import { errorFields } from '@/lib/server/process/log';
import { type Runtime, runtime } from '@/lib/server/runtime';

/** `read`: of what the caller may see. `stream`: the same, for as long as they like. `write`: of the backend or of our own store. */
export type Entry = 'read' | 'stream' | 'write';

/**
 * Hears of a refusal before the request was looked at, and keeps the answer waiting. `caller`: `null` where it was not
 * even known who asks.
 */
export type OnRefused = (problem: Problem, caller: Caller | null, runtime: Runtime) => Promise<void>;

/** Answers a request of somebody who may look, or says why not. */
export function enter(
  kind: Entry,
  request: Request,
  answer: (caller: Caller, runtime: Runtime) => Promise<Response> | Response,
  onRefused?: OnRefused,
): Promise<Response> {
  const present = runtime();
  let known: Caller | null = null;
  const admitted = async () => {
    requireSoundHere(request, present);
    const caller = await callerOf(request.headers, present);
    known = caller;
    await present.limits.take(kind, caller);
    requireSamePerson(request, caller.identity);
    if (kind === 'write') requireWriter(request, caller);
    return caller;
  };
  return atTheEdge(request, present, async () => {
    const caller = await admitted().catch(async (error: unknown) => {
      if (error instanceof ProblemError) await onRefused?.(error.problem, known, present);
      throw error;
    });
    return answer(caller, present);
  });
}

/**
 * Answers a request whoever makes it, for what is asked before anybody has signed in: whether they have, and to do
 * it. What is answered must be everybody's to know, and the route counts the request itself (`Limits`).
 */
export function enterAsAnybody(
  request: Request,
  answer: (runtime: Runtime) => Promise<Response> | Response,
): Promise<Response> {
  const present = runtime();
  return atTheEdge(request, present, async () => {
    requireSoundHere(request, present);
    return answer(present);
  });
}

/** What `run` answers, the problem that it threw, or that it was a bug. */
function atTheEdge(request: Request, present: Runtime, run: () => Promise<Response>): Promise<Response> {
  return answering(run).catch((error: unknown) => answerBug(error, request, present));
}

/** What must hold for every request. */
function requireSoundHere(request: Request, { env }: Pick<Runtime, 'env'>): void {
  requireSoundAddress(request, env);
  requireSameOrigin(request, env);
}

/**
 * A mistake of ours: the log has all of it, the answer an id by which it is found there and nothing else. What came
 * of a write is not known.
 */
function answerBug(error: unknown, request: Request, { log }: Pick<Runtime, 'log'>): Response {
  const id = randomBytes(6).toString('hex');
  // Whoever left while their body was read will not read an answer, and it is no mistake of ours.
  if (request.signal.aborted) log.debug({ id, ...errorFields(error) }, 'the client left');
  else
    log.error(
      { id, method: request.method, path: new URL(request.url).pathname, ...errorFields(error) },
      'bug',
    );
  const code = request.method === 'GET' || request.method === 'HEAD' ? 'unavailable' : 'unknown-result';
  return problemResponse({ code, why: { code: 'server-bug', facts: { id } } }, 500);
}
