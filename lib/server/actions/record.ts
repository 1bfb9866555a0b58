/**
 * Records actions: the intent before any write to the backend, the outcome, the follow-up, and every refusal. Without a
 * written intent the action is refused. The rows after it are retried until they are written, because the backend has
 * changed by then, and the person gets the outcome.
 */
import { randomUUID } from 'node:crypto';
import { type Action, parametersOf, subjectsOf } from '@/lib/domain/actions/action';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import type { Saw } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import { identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { AuditBook } from '@/lib/server/audit/audit-log';
import {
  filed,
  outcomeDetail,
  problemDetail,
  seenDetail,
  subjectIds,
  whomDetail,
} from '@/lib/server/audit/detail';
import { createRefusalThrottle } from '@/lib/server/audit/refusal-throttle';
import { createAuditLater } from '@/lib/server/audit/retry-queue';
import { networkOf } from '@/lib/server/http/limits';
import type { Caller } from '@/lib/server/identity/caller';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Discreet } from '@/lib/server/process/scrub';
import { type ActionBudgetOptions, type BudgetShare, createActionBudget } from './budget';
import { createFollowUps } from './follow-up';

/** The person who acts, and the view in which the follow-up watches. */
export type Actor = Pick<Caller, 'identity' | 'address' | 'discreet'> & {
  readonly viewpoint: Pick<Caller['viewpoint'], 'hub'>;
};

/** A recorded action, whose outcome is to come. */
export interface Begun {
  /** Writes the outcome, and then starts the follow-up. Resolves after the first try; never rejects. */
  ended(result: Outcome | Problem): Promise<void>;
}

export interface RefusedAction {
  readonly who: AuditEntry['who'];
  readonly address: string | null;
  /** `null`: the request was refused before it was read, or was not understood. */
  readonly action: Action | null;
  readonly reason: string;
  readonly problem: Problem;
}

interface Asked {
  readonly action: Action;
  readonly reason: string;
  /** The state that the plan saw. */
  readonly saw: Saw;
}

export interface ActionRecord {
  /**
   * Resolves once the intent is on disk. Throws a `ProblemError`: `busy` beyond a budget, the error of `admit`, or
   * `unavailable` (`audit-not-written`). The first two are refusals, and leave no intent.
   */
  begin(request: Asked, actor: Actor, admit?: () => Promise<void>): Promise<Begun>;
  /** Records a refusal, or counts it where there are too many. Returns at once. */
  refused(refused: RefusedAction): void;
  /**
   * Begins no more actions (`begin` throws `unavailable`). Waits for the actions in progress, so that their outcomes are
   * recorded and answered, and writes the remaining rows. An action that takes longer than `endMs` is given up, and its
   * intent becomes `unknown`.
   */
  close(): Promise<void>;
}

export interface ActionRecordOptions {
  readonly audit: Pick<AuditBook, 'append' | 'closeOpen'>;
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>;
  readonly now: () => number;
  /**
   * An intent of this age will get no outcome, because an action and its rows take less. No action of a live replica is
   * older.
   */
  readonly openMs?: number;
  readonly sweepMs?: number;
  readonly followMs?: number;
  /** Longest time that the shutdown waits for actions in progress. */
  readonly endMs?: number;
  readonly budget?: Omit<ActionBudgetOptions, 'now'>;
}

const openMsDefault = 90_000;
const sweepMsDefault = 30_000;
/** Most supervisors kill a process 30 s after they ask it to end. */
const endMsDefault = 20_000;

/** The store's largest cost for each subject of a row, beside the row itself. */
const indexEntryBytes = 200;
/** Most characters of a stranger's reason, which identifies no person. The row of a longer one has its length. */
const strangersReasonMax = 80;

/** The state that all actions of this server share. */
function openDesk({ audit, log, now, followMs, budget }: ActionRecordOptions) {
  const later = createAuditLater({ audit, log });
  /** Rows of refusals that are not written yet. */
  const refusals = new Set<Promise<void>>();
  const writeRefusal = (entry: AuditEntry) => {
    const written = later.write(entry);
    refusals.add(written);
    void written.finally(() => refusals.delete(written));
  };
  return {
    audit,
    log,
    later,
    refusals,
    writeRefusal,
    budget: createActionBudget({ ...budget, now }),
    flood: createRefusalThrottle({
      onMore: (counts) =>
        writeRefusal({
          kind: 'refused',
          thread: randomUUID(),
          who: { kind: 'anonymous' },
          address: null,
          action: null,
          subjects: [],
          reason: '',
          detail: {
            outcome: counts[0]?.[0] ?? 'busy',
            more: counts.reduce((sum, [, count]) => sum + count, 0),
            codes: Object.fromEntries(counts),
          },
        }),
    }),
    followUps: createFollowUps({
      write: later.write,
      now,
      ...(followMs === undefined ? {} : { watchMs: followMs }),
    }),
    /** Threads of the actions that began here and have not ended. */
    underWay: new Set<string>(),
    closing: false,
    /** Called when the last action under way has ended. */
    onIdle: () => {},
  };
}
type Desk = ReturnType<typeof openDesk>;

function refuse(desk: Desk, { who, address, action, reason, problem }: RefusedAction): void {
  const isAnonymous = who.kind === 'anonymous';
  const name = isAnonymous ? networkOf(address) : identityKey(who);
  if (!desk.flood.take({ known: !isAnonymous, name }, problem.code)) return;
  const isLong = isAnonymous && reason.length > strangersReasonMax;
  const { subjects, detail } = filed(action === null ? [] : subjectIds(action));
  desk.writeRefusal({
    kind: 'refused',
    thread: randomUUID(),
    who,
    address,
    action: action?.type ?? null,
    subjects,
    reason: isLong ? reason.slice(0, strangersReasonMax) : reason,
    detail: {
      ...(isLong ? { reasonLength: reason.length } : {}),
      ...(action === null ? {} : parametersOf(action)),
      ...detail,
      ...problemDetail(problem),
    },
  });
}

/** Takes a place for the action, if the checks before the intent admit it. A refusal is recorded, and thrown. */
async function admitted(
  desk: Desk,
  request: Omit<RefusedAction, 'problem'>,
  discreet: Discreet,
  admit: () => Promise<void>,
): Promise<BudgetShare> {
  let turn: BudgetShare | null = null;
  try {
    turn = desk.budget.take({ identity: request.who, address: request.address });
    await admit();
    return turn;
  } catch (error) {
    turn?.end();
    // A caller who left gets no refusal.
    if (error instanceof ProblemError && error.problem.why?.code !== 'given-up')
      refuse(desk, discreet({ ...request, problem: error.problem }));
    throw error;
  }
}

async function begin(
  desk: Desk,
  { action, reason, saw }: Asked,
  { identity, address, discreet, viewpoint: { hub } }: Actor,
  admit: () => Promise<void>,
): Promise<Begun> {
  const { audit, later, underWay, followUps } = desk;
  if (desk.closing) throw new ProblemError({ code: 'unavailable' });
  const { subjects: filedUnder, detail: beside } = filed(discreet(subjectIds(action)));
  const entry = discreet({
    thread: randomUUID(),
    who: identity,
    address,
    action: action.type,
    subjects: filedUnder,
    reason,
  });
  const turn = await admitted(desk, { who: identity, address, action, reason }, discreet, admit);
  const rowOf = (kind: AuditEntry['kind'], detail: AuditEntry['detail']): AuditEntry => {
    const row = { ...entry, kind, detail: discreet({ ...parametersOf(action), ...beside, ...detail }) };
    turn.spend(Buffer.byteLength(JSON.stringify(row)) + row.subjects.length * indexEntryBytes);
    return row;
  };
  const before = hub.snapshot();
  underWay.add(entry.thread);
  const finish = () => {
    turn.end();
    underWay.delete(entry.thread);
    if (underWay.size === 0) desk.onIdle();
  };
  try {
    if (desk.closing) throw new ProblemError({ code: 'unavailable' });
    const seen = seenDetail(saw, discreet);
    await audit.append(rowOf('intent', { ...seen, ...whomDetail(action, saw, before, discreet) }));
  } catch (error) {
    finish();
    // When the connection broke late, the intent may be on disk anyway. This row records that the action was not done.
    if (error instanceof ProblemError)
      desk.writeRefusal(rowOf('refused', problemDetail(discreet(error.problem))));
    throw error;
  }
  return {
    ended: async (result) => {
      await later.write(rowOf('outcome', outcomeDetail(discreet(result))));
      finish();
      if (isProblem(result) && result.code !== 'unknown-result') return;
      const freed = isProblem(result) ? [] : result.freed;
      const ids = new Set(subjectIds(action));
      const subjects = [...subjectsOf(action), ...freed.filter((one) => !ids.has(subjectId(one)))];
      followUps.follow({ hub, before, subjects, entry, beside, action, discreet });
    },
  };
}

/** Waits until no action is under way, at most `endMs`. */
async function idle(desk: Desk, endMs: number): Promise<void> {
  if (desk.underWay.size === 0) return;
  desk.log.info({ actions: desk.underWay.size }, 'waiting for the actions under way');
  let timeout: ReturnType<typeof setTimeout> | undefined;
  await new Promise<void>((resolve) => {
    desk.onIdle = resolve;
    timeout = setTimeout(resolve, endMs);
  });
  clearTimeout(timeout);
}

/** Closes intents without an outcome, once in `sweepMs`. The returned function stops this, after a running sweep. */
function sweeping({ audit, log, underWay }: Desk, openMs: number, sweepMs: number): () => Promise<void> {
  const sweep = async () => {
    try {
      const closed = await audit.closeOpen(openMs, underWay);
      if (closed > 0) log.warn({ closed }, 'intents without an outcome: their server ended in between');
    } catch (error) {
      log.error(errorFields(error), 'the audit could not be looked through for intents without an outcome');
    }
  };
  let running = Promise.resolve().then(sweep);
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, sweepMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

export function createActionRecord(options: ActionRecordOptions): ActionRecord {
  const { openMs = openMsDefault, sweepMs = sweepMsDefault, endMs = endMsDefault } = options;
  const desk = openDesk(options);
  const swept = sweeping(desk, openMs, sweepMs);
  return {
    begin: (request, actor, admit = async () => {}) => begin(desk, request, actor, admit),
    refused: (refused) => refuse(desk, refused),
    close: async () => {
      desk.closing = true;
      const sweep = swept();
      await idle(desk, endMs);
      desk.flood.close();
      await desk.followUps.close();
      await Promise.all([...desk.refusals, sweep]);
      await desk.later.close();
    },
  };
}
