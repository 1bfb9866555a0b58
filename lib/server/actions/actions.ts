/**
 * `POST /api/v1/actions`: plans or applies any action. An apply is admitted (`admission.ts`), its intent is recorded,
 * the provider is asked, and the outcome is recorded. Every request leaves one line in the log.
 *
 * A plan only reads, so neither a plan nor its refusal has a record.
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
/** After its intent is recorded, an apply continues without its viewer: it is finished and logged. */
const applyTimeoutMs = 60_000;
/** Without an answer the right stays unknown, and the backend decides at the write. */
const rightsTimeoutMs = 5_000;
/** Subjects named in one line of the log; a prune of hundreds adds their count. */
const loggedSubjectsMax = 20;

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

/**
 * Actions with the least rights that this one always needs. Whatever is done to a semaphore writes its record, as a new
 * limit does. A button checks more: deleting a semaphore needs the right to its other entries, if there are any.
 * Without a right from here, every part of the write would fail.
 */
const leastOf = (action: Action): readonly Action[] =>
  subjectsOf(action).map((subject) => (subject.kind === 'semaphore' ? setLimit(subject, 1) : action));

/**
 * Checks before an intent is written: the audit is never deleted, so an action that is known to fail becomes a refusal, whose
 * rows are limited. Throws the provider's refusal, `forbidden` for a missing right, and `unavailable` for a
 * caller who left.
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

/** The part of it that people are told beside the plan. */
const targetOf = ({ sessions, verdict }: Saw): Target => ({ sessions, verdict });

/** Applies between the rows of the intent and the outcome. */
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

/** The request, about a source that is configured, or why it is refused. */
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
    // Nothing was begun: the action was refused, or its intent could not be written.
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
  if (isProblem(result)) return problemResponse(result);
  const answer =
    'plan' in result
      ? {
          ...result,
          plan: spokenPlan(result.plan),
          saw: targetOf(caller.viewpoint.provider.saw(action, result.expect)),
        }
      : { outcome: spokenOutcome(result) };
  return Response.json(answer, {
    headers: { 'cache-control': 'no-store' },
  });
}
