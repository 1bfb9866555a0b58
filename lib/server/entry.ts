/**
 * The one way into the API. Who asks is resolved, then what kind of request it is decides what must hold before it is
 * answered. Every route goes through here (`test/rules.test.ts` looks), so that a guard cannot be forgotten.
 */
import type { Caller } from './caller';
import { callerOf } from './caller';
import { answering, requireWriter } from './http';
import { type Runtime, runtime } from './runtime';

/** `read`: of what the caller may see. `write`: of the backend or of our own store. */
export type Entry = 'read' | 'write';

/** Answers a request, or says why not. */
export function enter(
  kind: Entry,
  request: Request,
  answer: (caller: Caller, runtime: Runtime) => Promise<Response> | Response,
): Promise<Response> {
  return answering(async () => {
    const present = runtime();
    const caller = await callerOf(request.headers, present);
    if (kind === 'write') requireWriter(request, caller.writes);
    return answer(caller, present);
  });
}
