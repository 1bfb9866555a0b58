/**
 * The only entrance to the API: first the checks of every request, then the caller, then the checks of its kind
 * (`test/rules.test.ts`).
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

/** `stream`: reads without an end. `write`: to the backend or to our own store. */
export type Entry = 'read' | 'stream' | 'write';

/** Receives a refusal from before the request was read, and delays the answer. `caller`: `null` if unknown. */
export type OnRefused = (problem: Problem, caller: Caller | null, runtime: Runtime) => Promise<void>;

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
 * The entrance for signing in and its state. The answer must be public, and the route counts the request itself
 * (`Limits`).
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

function atTheEdge(request: Request, present: Runtime, run: () => Promise<Response>): Promise<Response> {
  return answering(run).catch((error: unknown) => answerBug(error, request, present));
}

function requireSoundHere(request: Request, { env }: Pick<Runtime, 'env'>): void {
  requireSoundAddress(request, env);
  requireSameOrigin(request, env);
}

/** Answers with an id only, under which the log has the details. The result of a write is unknown then. */
function answerBug(error: unknown, request: Request, { log }: Pick<Runtime, 'log'>): Response {
  const id = randomBytes(6).toString('hex');
  // A client that leaves while its body is read is no bug.
  if (request.signal.aborted) log.debug({ id, ...errorFields(error) }, 'the client left');
  else
    log.error(
      { id, method: request.method, path: new URL(request.url).pathname, ...errorFields(error) },
      'bug',
    );
  const code = request.method === 'GET' || request.method === 'HEAD' ? 'unavailable' : 'unknown-result';
  return problemResponse({ code, why: { code: 'server-bug', facts: { id } } }, 500);
}
