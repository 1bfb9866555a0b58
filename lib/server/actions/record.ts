/**
 * The record of actions: the intent before anything is written to the backend, the outcome, what followed, and every
 * refusal. An intent that cannot be written refuses the action; everything later is written however often it must be
 * tried, because by then the backend has changed, and that is what the person is told.
 */
import { randomUUID } from 'node:crypto';
import { type Action, type Expect, subjectsOf } from '@/lib/domain/actions/action';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import type { Outcome } from '@/lib/domain/actions/plan';
import { identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { AuditBook } from '@/lib/server/audit/audit-log';
import {
  askedDetail,
  filed,
  outcomeDetail,
  problemDetail,
  seenDetail,
  subjectIds,
  whomDetail,
} from '@/lib/server/audit/detail';
import { createFloodGate } from '@/lib/server/audit/refusal-throttle';
import { createAuditLater } from '@/lib/server/audit/retry-queue';
import { networkOf } from '@/lib/server/http/limits';
import type { Caller } from '@/lib/server/identity/caller';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Discreet } from '@/lib/server/process/scrub';
import { type ActionBudgetOptions, createActionBudget, type Turn } from './budget';
import { createFollowUps } from './follow-up';

/** Who acts, and through whose eyes what follows is seen. */
export type Actor = Pick<Caller, 'identity' | 'address' | 'discreet'> & {
  readonly viewpoint: Pick<Caller['viewpoint'], 'hub'>;
};

/** An action on record, of which the outcome is to come. */
export interface Begun {
  /** Writes what came of it; resolves after the first try, and never rejects. Then what follows is watched. */
  ended(result: Outcome | Problem): Promise<void>;
}

export interface Refused {
  readonly who: AuditEntry['who'];
  readonly address: string | null;
  /** `null`: the request was refused before it was read, or was not understood. */
  readonly action: Action | null;
  readonly reason: string;
  readonly problem: Problem;
}

export interface ActionRecord {
  /**
   * Resolves once the intent is on disk. Throws a `ProblemError`: `busy` beyond a budget, what `admit` throws, and
   * `unavailable` (`audit-not-written`). The first two are refusals, and leave no intent.
   */
  begin(
    asked: { readonly action: Action; readonly reason: string; readonly expect: Expect },
    actor: Actor,
    admit?: () => Promise<void>,
  ): Promise<Begun>;
  /** Puts a refusal on record, or counts it where there are too many. Keeps nobody waiting. */
  refused(refused: Refused): void;
  /**
   * Begins nothing more (`begin` throws `unavailable`), waits for the actions under way, so that what they wrote is on
   * record and told to who asked, and writes what is left. One that takes longer than `endMs` is given up; its intent becomes
   * `unknown`.
   */
  close(): Promise<void>;
}

export interface ActionRecordOptions {
  readonly audit: Pick<AuditBook, 'append' | 'closeOpen'>;
  readonly log: Pick<Log, 'error' | 'warn' | 'info'>;
  readonly now: () => number;
  /**
   * An intent of this age has no outcome to come: longer than an action may take, with what its rows may take. Older than any
   * action of a replica that is alive.
   */
  readonly openMs?: number;
  readonly sweepMs?: number;
  readonly followMs?: number;
  /** How long the end waits for actions under way. */
  readonly endMs?: number;
  readonly budget?: Omit<ActionBudgetOptions, 'now'>;
}

const openMsDefault = 90_000;
const sweepMsDefault = 30_000;
/** Most supervisors kill after 30 s what they asked to end. */
const endMsDefault = 20_000;

/** What the store takes, at most, for each subject of a row beside the row itself. */
const indexEntryBytes = 200;
/** A stranger's reason is nobody's: of a longer one its length is kept. */
const strangersReasonMax = 80;

export function createActionRecord(options: ActionRecordOptions): ActionRecord {
  const { audit, log, now, openMs = openMsDefault, sweepMs = sweepMsDefault, followMs } = options;
  const { endMs = endMsDefault } = options;
  /** Threads of the actions that were begun here and have not ended. */
  const underWay = new Set<string>();
  let closing = false;
  let noneUnderWay = () => {};
  const later = createAuditLater({ audit, log });
  const budget = createActionBudget({ ...options.budget, now });
  const followUps = createFollowUps({
    write: later.write,
    now,
    ...(followMs === undefined ? {} : { watchMs: followMs }),
  });
  const refusals = new Set<Promise<void>>();
  const writeRefusal = (entry: AuditEntry) => {
    const written = later.write(entry);
    refusals.add(written);
    void written.finally(() => refusals.delete(written));
  };
  const flood = createFloodGate({
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
  });

  let sweeping: Promise<void> = Promise.resolve();
  const sweep = async () => {
    try {
      const closed = await audit.closeOpen(openMs, underWay);
      if (closed > 0) log.warn({ closed }, 'intents without an outcome: their server ended in between');
    } catch (error) {
      log.error(errorFields(error), 'the audit could not be looked through for intents without an outcome');
    }
  };
  const sweepNow = () => {
    sweeping = sweeping.then(sweep);
  };
  const timer = setInterval(sweepNow, sweepMs);
  timer.unref();
  sweepNow();

  const refused = ({ who, address, action, reason, problem }: Refused) => {
    const nobody = who.kind === 'anonymous';
    const name = nobody ? networkOf(address) : identityKey(who);
    if (!flood.take({ known: !nobody, name }, problem.code)) return;
    const isLong = nobody && reason.length > strangersReasonMax;
    const { subjects, detail } = filed(action === null ? [] : subjectIds(action));
    writeRefusal({
      kind: 'refused',
      thread: randomUUID(),
      who,
      address,
      action: action?.type ?? null,
      subjects,
      reason: isLong ? reason.slice(0, strangersReasonMax) : reason,
      detail: {
        ...(isLong ? { reasonLength: reason.length } : {}),
        ...(action === null ? {} : askedDetail(action)),
        ...detail,
        ...problemDetail(problem),
      },
    });
  };
  /** A place for the action, if it may be done as far as is known without its being on record. */
  const admitted = async (
    asked: Omit<Refused, 'problem'>,
    discreet: Discreet,
    admit: () => Promise<void>,
  ): Promise<Turn> => {
    let turn: Turn | null = null;
    try {
      turn = budget.take({ identity: asked.who, address: asked.address });
      await admit();
      return turn;
    } catch (error) {
      turn?.end();
      // Whoever left is refused nothing.
      if (error instanceof ProblemError && error.problem.why?.code !== 'given-up')
        refused(discreet({ ...asked, problem: error.problem }));
      throw error;
    }
  };

  return {
    begin: async (
      { action, reason, expect },
      { identity, address, discreet, viewpoint: { hub } },
      admit = async () => {},
    ) => {
      if (closing) throw new ProblemError({ code: 'unavailable' });
      const { subjects: filedUnder, detail: beside } = filed(discreet(subjectIds(action)));
      const entry = discreet({
        thread: randomUUID(),
        who: identity,
        address,
        action: action.type,
        subjects: filedUnder,
        reason,
      });
      const turn = await admitted({ who: identity, address, action, reason }, discreet, admit);
      const rowOf = (kind: AuditEntry['kind'], detail: AuditEntry['detail']): AuditEntry => {
        const row = { ...entry, kind, detail: discreet({ ...askedDetail(action), ...beside, ...detail }) };
        turn.spend(Buffer.byteLength(JSON.stringify(row)) + row.subjects.length * indexEntryBytes);
        return row;
      };
      const before = hub.snapshot();
      underWay.add(entry.thread);
      const over = () => {
        turn.end();
        underWay.delete(entry.thread);
        if (underWay.size === 0) noneUnderWay();
      };
      try {
        if (closing) throw new ProblemError({ code: 'unavailable' });
        const saw = seenDetail(expect, discreet);
        const whom = whomDetail(action, expect, before, discreet);
        await audit.append(rowOf('intent', { ...saw, ...whom }));
      } catch (error) {
        over();
        // The row may be on disk all the same, where the link broke late: this one says that nothing came of it.
        if (error instanceof ProblemError)
          writeRefusal(rowOf('refused', problemDetail(discreet(error.problem))));
        throw error;
      }
      return {
        ended: async (result) => {
          await later.write(rowOf('outcome', outcomeDetail(discreet(result))));
          over();
          if (isProblem(result) && result.code !== 'unknown-result') return;
          const freed = isProblem(result) ? [] : result.freed;
          const ids = new Set(subjectIds(action));
          const subjects = [...subjectsOf(action), ...freed.filter((one) => !ids.has(subjectId(one)))];
          followUps.follow({ hub, before, subjects, entry, beside, action, discreet });
        },
      };
    },
    refused,
    close: async () => {
      closing = true;
      clearInterval(timer);
      if (underWay.size > 0) {
        log.info({ actions: underWay.size }, 'waiting for the actions under way');
        let late: ReturnType<typeof setTimeout> | undefined;
        await new Promise<void>((resolve) => {
          noneUnderWay = resolve;
          late = setTimeout(resolve, endMs);
        });
        clearTimeout(late);
      }
      flood.close();
      await followUps.close();
      await Promise.all([...refusals, sweeping]);
      await later.close();
    },
  };
}
