/**
 * `POST /api/v1/actions`: plans or applies any action.
 *
 *   plan:   the provider plans
 *   apply:  admit (`requireAdmissible`) -> record the intent -> the provider applies -> record the outcome
 *
 * A plan only reads, so neither a plan nor its refusal has a record. The log has one line for a plan or a refused apply, two
 * for an apply that began, and none for a request that is not understood.
 */
import { type Action, parametersOf, subjectsOf } from '@/lib/domain/actions/action';
import { type Expect, type Saw, sawNothing, type Target } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import { setLimit } from '@/lib/domain/actions/semaphore';
import { identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Planned, Provider } from '@/lib/domain/seam/provider';
import { spokenOutcome, spokenPlan } from '@/lib/server/http/english';
import { problemResponse, readJsonBody } from '@/lib/server/http/http';
import { unknownSource } from '@/lib/server/http/known-source';
import type { Caller } from '@/lib/server/identity/caller';
import type { Hub } from '@/lib/server/live/hub';
import type { ActedOutcome, Metrics } from '@/lib/server/metrics/metrics';
import { within } from '@/lib/server/process/deadline';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { ActionRecord } from './record';
import { type ActionRequest, bodyBytesMax, memberOf, parseRequest, refusedAction } from './request';

const planTimeoutMs = 20_000;
/** An apply continues without its viewer after its intent is recorded. */
const applyTimeoutMs = 60_000;
/** Later, the rights stay unknown, and the backend decides at the write. */
const rightsTimeoutMs = 5_000;
/** Most subjects in one line of the log. A prune of hundreds adds their count. */
const loggedSubjectsMax = 20;

/** The parts of the server that an action uses. */
export interface ActionsRuntime {
  readonly record: Pick<ActionRecord, 'begin' | 'refused'>;
  readonly metrics: Pick<Metrics, 'acted'>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The caller, and the provider that reads and writes with their credential. */
export type ActionsCaller = Pick<Caller, 'identity' | 'address' | 'discreet'> & {
  readonly viewpoint: {
    readonly provider: Pick<Provider, 'plan' | 'apply' | 'refuses' | 'saw' | 'rights'>;
    readonly hub: Hub;
  };
};

/** The logged facts of an action: no value, no token, no body. */
function fieldsOf(action: Action) {
  const subjects = subjectsOf(action).map(subjectId);
  return {
    action: action.type,
    ...parametersOf(action),
    subjects: subjects.slice(0, loggedSubjectsMax),
    ...(subjects.length > loggedSubjectsMax ? { subjectsInAll: subjects.length } : {}),
  };
}

/** The outcome as the metrics count it. */
function outcomeOf(result: Planned | Outcome | Problem): ActedOutcome {
  if (isProblem(result)) return result.code;
  if ('plan' in result) return 'planned';
  return result.done ? 'done' : 'partly';
}

/** The outcome as the log shows it. */
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

/**
 * Stand-ins for `action` that need only the rights without which its write would fail. Every action on a semaphore
 * writes its record, as a new limit does. The page checks further rights for its button, such as the right to a
 * semaphore's other entries.
 */
const leastOf = (action: Action): readonly Action[] =>
  subjectsOf(action).map((subject) => (subject.kind === 'semaphore' ? setLimit(subject, 1) : action));

/**
 * Refuses an action that is known to fail, before its intent is written. The audit is never deleted, and refusals have
 * a limited number of rows in it. Throws the provider's refusal, `forbidden` for a missing right, and `unavailable` for
 * a caller who left.
 */
export async function requireAdmissible(
  action: Action,
  expect: Expect,
  provider: Pick<Provider, 'refuses' | 'rights'>,
  signal: AbortSignal,
): Promise<void> {
  const problem = provider.refuses?.(action, expect) ?? null;
  if (problem !== null) throw new ProblemError(problem);
  const rights = await provider.rights?.(leastOf(action), within(rightsTimeoutMs, signal));
  if (signal.aborted) throw new ProblemError({ code: 'unavailable', why: { code: 'given-up', facts: {} } });
  if (rights !== undefined && rights.length > 0 && rights.every(({ right }) => right === 'no'))
    throw new ProblemError({ code: 'forbidden', why: { code: 'token-refused', facts: {} } });
}

/** The part that the answer shows beside the plan. */
const targetOf = ({ sessions, verdict }: Saw): Target => ({ sessions, verdict });

/** Applies an action, and records its intent before and its outcome after. */
async function apply(
  { action, reason, expect, saw }: Extract<ActionRequest, { mode: 'apply' }> & { readonly saw: Saw },
  caller: ActionsCaller,
  { record }: ActionsRuntime,
  { signal, onBegun }: { readonly signal: AbortSignal; onBegun(): void },
): Promise<Outcome | Problem> {
  const { provider } = caller.viewpoint;
  const begun = await record.begin({ action, reason, saw }, caller, () =>
    requireAdmissible(action, expect, provider, signal),
  );
  onBegun();
  let result: Outcome | Problem;
  try {
    result = await provider.apply(action, expect, AbortSignal.timeout(applyTimeoutMs));
  } catch (error) {
    // After a bug of ours the written part is unknown.
    await begun.ended({ code: 'unknown-result' });
    throw error;
  }
  await begun.ended(result);
  return result;
}

/** The request, or a refusal: the body is not understood, or its source is not configured. */
function knownRequest(body: unknown, hub: Hub): ActionRequest | Problem {
  const parsed = parseRequest(body);
  if (isProblem(parsed)) return parsed;
  return unknownSource(parsed.action.source, hub.snapshot().source) ?? parsed;
}

/** Answers one request with a plan, an outcome, or a problem. */
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
  const parsed = knownRequest(body, caller.viewpoint.hub);
  if (isProblem(parsed)) {
    if (memberOf(body, 'mode') !== 'plan')
      record.refused(discreet({ who, address, ...refusedAction(body), problem: parsed }));
    throw new ProblemError(parsed);
  }
  const { action, mode } = parsed;
  const line = discreet({ mode, ...fieldsOf(action), who: identityKey(who), reason: parsed.reason });
  const saw = mode === 'apply' ? caller.viewpoint.provider.saw(action, parsed.expect) : sawNothing;
  const before =
    mode === 'apply'
      ? { beforeIndexes: saw.entries.slice(0, loggedSubjectsMax).map(({ index }) => index) }
      : {};
  const onBegun = () => log.info({ ...line, ...before, outcome: 'begun' }, 'action');
  const running =
    mode === 'plan'
      ? caller.viewpoint.provider.plan(action, within(planTimeoutMs, request.signal))
      : apply({ ...parsed, saw }, caller, runtime, { signal: request.signal, onBegun });
  let refusal: ProblemError | null = null;
  const result = await running.catch((error: unknown) => {
    // Nothing has begun. The action was refused, or its intent could not be written.
    if (error instanceof ProblemError) {
      refusal = error;
      return error.problem;
    }
    log.error({ ...line, ...before, outcome: 'bug', ...errorFields(error) }, 'action');
    metrics.acted(action.type, mode, 'unknown-result');
    throw error;
  });
  log.info({ ...line, ...before, ...resultOf(result) }, 'action');
  metrics.acted(action.type, mode, outcomeOf(result));
  if (refusal !== null) throw refusal;
  return responseOf(result, action, caller.viewpoint.provider);
}

function responseOf(
  result: Planned | Outcome | Problem,
  action: Action,
  provider: Pick<Provider, 'saw'>,
): Response {
  if (isProblem(result)) return problemResponse(result);
  const body =
    'plan' in result
      ? {
          ...result,
          plan: spokenPlan(result.plan),
          saw: targetOf(provider.saw(action, result.expect)),
        }
      : { outcome: spokenOutcome(result) };
  return Response.json(body, { headers: { 'cache-control': 'no-store' } });
}
