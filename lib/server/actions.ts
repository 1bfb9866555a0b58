/**
 * `POST /api/v1/actions`: one request for all actions, to plan or to apply. Authorise, parse, ask the provider,
 * and leave one line in the log, whatever came of it.
 */
import { z } from 'zod';
import {
  type Action,
  actionSchema,
  expectSchema,
  reasonLengthMax,
  reasonRequired,
  subjectsOf,
} from '@/lib/domain/action';
import { subjectId } from '@/lib/domain/model';
import type { Outcome } from '@/lib/domain/plan';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Planned, Provider } from '@/lib/domain/provider';
import { problemResponse, readJsonBody } from './http';
import { errorFields, type Log } from './log';
import { spokenOutcome, spokenPlan } from './spoken';

/** Most bytes of a request: a prune of 500 semaphores sends some 250 for each, in the action and the expectation. */
export const bodyBytesMax = 256 * 1024;
const planTimeoutMs = 20_000;
/** An apply is never given up because its viewer left: what was begun is brought to an end and logged. */
const applyTimeoutMs = 60_000;
/** Subjects named in one line of the log; a prune of hundreds says how many there were. */
const loggedSubjectsMax = 20;

const reason = z.string().trim().max(reasonLengthMax);
export const requestSchema = z.discriminatedUnion('mode', [
  z.strictObject({
    mode: z.literal('plan'),
    action: actionSchema,
    reason: reason.default(''),
    expect: z.optional(expectSchema),
  }),
  z.strictObject({
    mode: z.literal('apply'),
    action: actionSchema,
    reason: reason.default(''),
    expect: expectSchema,
  }),
]);

type ActionRequest = z.infer<typeof requestSchema>;

/** What of the runtime is needed here. */
export interface ActionsRuntime {
  readonly provider: Pick<Provider, 'plan' | 'apply'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

async function readRequest(request: Request): Promise<ActionRequest> {
  const parsed = requestSchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
    throw new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where } } });
  }
  const { mode, action, reason } = parsed.data;
  if (mode === 'apply' && reason === '' && reasonRequired(action))
    throw new ProblemError({ code: 'invalid', why: { code: 'reason-needed', facts: {} } });
  return parsed.data;
}

/** The only things about an action that are logged: no value, no token, no body. */
function fieldsOf(action: Action) {
  const subjects = subjectsOf(action).map(subjectId);
  return {
    action: action.type,
    ...('how' in action ? { how: action.how } : {}),
    ...('limit' in action ? { limit: action.limit } : {}),
    ...('sessionId' in action ? { session: action.sessionId } : {}),
    subjects: subjects.slice(0, loggedSubjectsMax),
    ...(subjects.length > loggedSubjectsMax ? { subjectsInAll: subjects.length } : {}),
  };
}

function resultOf(result: Planned | Outcome | Problem) {
  if (isProblem(result))
    return { outcome: result.code, why: result.why ?? null, difference: result.difference };
  if ('plan' in result) return { outcome: 'planned' };
  return {
    outcome: result.done ? 'done' : 'partly',
    freed: result.freed.slice(0, loggedSubjectsMax).map(subjectId),
    afterIndex: result.after?.modifyIndex ?? null,
    ...(result.parts.some(({ done }) => !done)
      ? { refused: result.parts.filter(({ done }) => !done).length }
      : {}),
  };
}

function run(
  asked: ActionRequest,
  { provider }: ActionsRuntime,
  viewer: AbortSignal,
): Promise<Planned | Outcome | Problem> {
  if (asked.mode === 'plan')
    return provider.plan(asked.action, AbortSignal.any([viewer, AbortSignal.timeout(planTimeoutMs)]));
  return provider.apply(asked.action, asked.expect, AbortSignal.timeout(applyTimeoutMs));
}

/** Answers one request: a plan, an outcome, or a problem. */
export async function answerAction(request: Request, runtime: ActionsRuntime): Promise<Response> {
  const { log } = runtime;
  const asked = await readRequest(request);
  const line = { mode: asked.mode, ...fieldsOf(asked.action), reason: asked.reason };
  const before =
    asked.mode === 'apply'
      ? { beforeIndexes: asked.expect.entries.slice(0, loggedSubjectsMax).map((e) => e.modifyIndex) }
      : {};
  // The intent first: if this process ends in the middle, what it was about to do is on record.
  if (asked.mode === 'apply') log.info({ ...line, ...before, outcome: 'begun' }, 'action');
  const result = await run(asked, runtime, request.signal).catch((error: unknown) => {
    log.error({ ...line, ...before, outcome: 'bug', ...errorFields(error) }, 'action');
    throw error;
  });
  log.info({ ...line, ...before, ...resultOf(result) }, 'action');
  if (isProblem(result)) return problemResponse(result);
  const answer =
    'plan' in result ? { ...result, plan: spokenPlan(result.plan) } : { outcome: spokenOutcome(result) };
  return Response.json(answer, {
    headers: { 'cache-control': 'no-store' },
  });
}
