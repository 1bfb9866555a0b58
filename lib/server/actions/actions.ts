/**
 * `POST /api/v1/actions`: one request for all actions, to plan or to apply. Parse, put the intent on record, ask the
 * provider, put on record what came of it, and leave one line in the log, whatever that is.
 *
 * A plan only reads, so neither it nor its refusal is on record.
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
import { identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import type { Outcome } from '@/lib/domain/plan';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Planned, Provider } from '@/lib/domain/provider';
import type { OnRefused } from '@/lib/server/entry';
import { problemResponse, readJsonBody } from '@/lib/server/http';
import type { Hub } from '@/lib/server/hub';
import { type Caller, tokensIn } from '@/lib/server/identity/caller';
import { errorFields, type Log } from '@/lib/server/log';
import type { ActedOutcome, Metrics } from '@/lib/server/metrics/metrics';
import type { Runtime } from '@/lib/server/runtime';
import { createDiscreet } from '@/lib/server/scrub';
import { spokenOutcome, spokenPlan } from '@/lib/server/spoken';
import { within } from '@/lib/server/within';
import type { ActionRecord } from './record';

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
  readonly record: Pick<ActionRecord, 'begin' | 'refused'>;
  readonly metrics: Pick<Metrics, 'acted'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** Who asks, and the provider that reads and writes with their credential. */
export type ActionsCaller = Pick<Caller, 'identity' | 'address' | 'discreet'> & {
  readonly viewpoint: { readonly provider: Pick<Provider, 'plan' | 'apply'>; readonly hub: Hub };
};

/** The request, or why it is not understood. */
function parse(body: unknown): ActionRequest | Problem {
  const parsed = requestSchema.safeParse(body);
  if (parsed.success) {
    const { mode, action, reason } = parsed.data;
    if (mode === 'plan' || reason !== '' || !reasonRequired(action)) return parsed.data;
    return { code: 'invalid', why: { code: 'reason-needed', facts: {} } };
  }
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  return { code: 'invalid', why: { code: 'request-not-understood', facts: { where } } };
}

const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

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

function outcomeOf(result: Planned | Outcome | Problem): ActedOutcome {
  if (isProblem(result)) return result.code;
  if ('plan' in result) return 'planned';
  return result.done ? 'done' : 'partly';
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

/** What a refused request was about, as far as it can be read. Its body counts as said by whoever sent it. */
function refusedAction(body: unknown) {
  const action = actionSchema.safeParse(memberOf(body, 'action'));
  const said = reason.safeParse(memberOf(body, 'reason'));
  return { action: action.success ? action.data : null, reason: said.success ? said.data : '' };
}

/** How long the body of a refused request is waited for. */
const refusedBodyMs = 2_000;

/**
 * The bodies of a loop are not read: of somebody beyond a budget, and of a stranger beyond the one for this, who was turned away
 * before they were counted.
 */
async function isWorthReading(
  { why }: Problem,
  caller: Caller | null,
  address: string | null,
  { limits }: Pick<Runtime, 'limits'>,
): Promise<boolean> {
  if (why?.code === 'too-often') return false;
  if (caller !== null) return true;
  return limits.take('refused', { identity: { kind: 'anonymous' }, address }).then(
    () => true,
    () => false,
  );
}

/**
 * Puts on record that somebody was refused before their request was looked at: by the gate, by a budget, by who they
 * are. A request to plan is not on record, but for one that was not read.
 */
export function recordRefusal(request: Request): OnRefused {
  return async (problem, caller, present) => {
    const { arrivals, record, metrics } = present;
    const who = caller?.identity ?? { kind: 'anonymous' };
    const address = caller === null ? arrivals(request.headers).address : caller.address;
    if (!(await isWorthReading(problem, caller, address, present))) {
      record.refused({ who, address, action: null, reason: '', problem });
      return;
    }
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, refusedBodyMs, undefined).unref();
    });
    const body = await Promise.race([readJsonBody(request, bodyBytesMax).catch(() => undefined), late]);
    if (memberOf(body, 'mode') === 'plan') return;
    const { action, reason } = refusedAction(body);
    // Of somebody who was not even known, the tokens that came with the request are all there is to go by.
    const discreet = caller?.discreet ?? createDiscreet(await tokensIn(request.headers, present));
    record.refused(discreet({ who, address, action, reason, problem }));
    if (action !== null) metrics.acted(action.type, 'apply', problem.code);
  };
}

/** Applies, between the two rows that say so. */
async function apply(
  { action, reason, expect }: Extract<ActionRequest, { mode: 'apply' }>,
  caller: ActionsCaller,
  { record }: ActionsRuntime,
): Promise<Outcome | Problem> {
  const begun = await record.begin({ action, reason, expect }, caller);
  let result: Outcome | Problem;
  try {
    result = await caller.viewpoint.provider.apply(action, expect, AbortSignal.timeout(applyTimeoutMs));
  } catch (error) {
    // A bug of ours, after which nobody knows what was written.
    await begun.ended({ code: 'unknown-result' });
    throw error;
  }
  await begun.ended(result);
  return result;
}

/** Answers one request: a plan, an outcome, or a problem. */
export async function answerAction(
  request: Request,
  caller: ActionsCaller,
  runtime: ActionsRuntime,
): Promise<Response> {
  const { record, metrics, log } = runtime;
  const { identity: who, address, discreet } = caller;
  const body = await readJsonBody(request, bodyBytesMax).catch((error: unknown) => {
    if (error instanceof ProblemError)
      record.refused({ who, address, action: null, reason: '', problem: error.problem });
    throw error;
  });
  const asked = parse(body);
  if (isProblem(asked)) {
    if (memberOf(body, 'mode') !== 'plan')
      record.refused(discreet({ who, address, ...refusedAction(body), problem: asked }));
    throw new ProblemError(asked);
  }
  const { action, mode } = asked;
  const line = discreet({ mode, ...fieldsOf(action), who: identityKey(who), reason: asked.reason });
  const before =
    mode === 'apply'
      ? { beforeIndexes: asked.expect.entries.slice(0, loggedSubjectsMax).map((e) => e.modifyIndex) }
      : {};
  // The intent first: if this process ends in the middle, what it was about to do is on record.
  if (mode === 'apply') log.info({ ...line, ...before, outcome: 'begun' }, 'action');
  const running =
    mode === 'plan'
      ? caller.viewpoint.provider.plan(action, within(planTimeoutMs, request.signal))
      : apply(asked, caller, runtime);
  const result = await running.catch((error: unknown) => {
    // Nothing was begun: the intent could not be written.
    if (error instanceof ProblemError) return error.problem;
    log.error({ ...line, ...before, outcome: 'bug', ...errorFields(error) }, 'action');
    metrics.acted(action.type, mode, 'unknown-result');
    throw error;
  });
  log.info({ ...line, ...before, ...resultOf(result) }, 'action');
  metrics.acted(action.type, mode, outcomeOf(result));
  if (isProblem(result)) return problemResponse(result);
  const answer =
    'plan' in result ? { ...result, plan: spokenPlan(result.plan) } : { outcome: spokenOutcome(result) };
  return Response.json(answer, {
    headers: { 'cache-control': 'no-store' },
  });
}
