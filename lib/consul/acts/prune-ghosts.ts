/**
 * Pruning: taking the ghosts off the record, by the client library's own rule, in one semaphore or many. Each is a
 * comparison of its own, so one that moved is refused without holding up the others.
 */
import { editCoordination } from '@/lib/consul/coordination';
import type { TxnOp } from '@/lib/consul/wire';
import type { Expect, Outcome, Touch } from '@/lib/domain/action';
import { type Subject, shortId } from '@/lib/domain/model';
import type { Planned } from '@/lib/domain/provider';
import { type Act, outcomeOf } from './act';
import { expectEntry, requireUnchanged, rowDifference } from './expectation';
import {
  type ActContext,
  contenderKey,
  coordinationKey,
  ghostsIn,
  readAll,
  readPrefix,
  refusal,
  refused,
  requireInView,
  requireUnderstood,
  type SemaphoreRows,
  semaphoreIn,
  semaphoreOf,
} from './fresh';
import { comment, curlTxn } from './manual';
import * as warning from './warning';
import { converge, problemOf } from './write';

type Part = Outcome['parts'][number];

const subjectOf = (prefix: string): Subject => ({ kind: 'semaphore', prefix });
/** For the expectation: every id in full. */
const seenOf = (ghosts: readonly string[]) =>
  `list of ghosts: ${ghosts.length === 0 ? 'none' : [...ghosts].sort().join(', ')}`;
/** For people. */
const named = (ghosts: readonly string[]) =>
  `${ghosts.length === 1 ? 'ghost' : 'ghosts'} ${ghosts.map(shortId).join(', ')}`;

/** Consul takes 64 operations in one transaction (128 since 1.14). */
const opsMax = 64;

/**
 * Throws `forbidden` when the token may not read the entry that would keep a holder alive. Consul leaves such an
 * entry out of a list without a word (before 1.11, and for anonymous callers always), and a living holder would be
 * pruned for a ghost. Asking for one key tells: a denied check says so, whether the key exists or not.
 */
async function requireReadable(context: ActContext, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += opsMax) {
    const ops = keys.slice(start, start + opsMax).map((key): TxnOp => ({ verb: 'check-not-exists', key }));
    const outcome = await context.client.txn(ops, { signal: context.signal });
    if (outcome.done) continue;
    const refusal = refused(outcome.errors);
    // A key that exists fails the check as well: an entry that was left behind, and that can be read.
    if (refusal.problem.code === 'forbidden') throw refusal;
  }
}

const ghostKeys = (semaphore: SemaphoreRows) =>
  ghostsIn(semaphore).map((id) => contenderKey(semaphore.prefix, id));

/** One comparison that takes the ghosts off the record and leaves everything else as it is. */
function pruneOps(semaphore: SemaphoreRows): TxnOp[] {
  const { lock, coordination } = requireUnderstood(semaphore);
  const ghosts = new Set(ghostsIn(semaphore));
  const holders = coordination.holders.filter((id) => !ghosts.has(id));
  return [
    {
      verb: 'cas',
      key: lock.key,
      value: editCoordination(coordination, { holders }),
      flags: lock.flags,
      index: lock.modifyIndex,
    },
  ];
}

function planPrune(
  context: ActContext,
  prunable: readonly SemaphoreRows[],
): Pick<Planned['plan'], 'writes' | 'touches' | 'manual'> {
  const touches: Touch[] = prunable.flatMap((semaphore) =>
    ghostsIn(semaphore).map((id) => ({
      subject: { kind: 'session' as const, id },
      effect: 'loses-slot' as const,
      detail: `${semaphore.prefix}: no key under it is locked by this session`,
    })),
  );
  const writes = prunable.map((semaphore) => {
    const op = pruneOps(semaphore)[0];
    return {
      operation: 'update' as const,
      target: coordinationKey(semaphore.prefix),
      condition: `the ghosts are still the same; holders that come meanwhile are kept (read at index ${semaphore.lock?.modifyIndex})`,
      before: semaphore.reading?.coordination?.text ?? null,
      after: op !== undefined && 'value' in op ? op.value.toString('utf8') : null,
    };
  });
  const manual = prunable.flatMap((semaphore) => [
    comment(
      `Takes ${named(ghostsIn(semaphore))} off ${coordinationKey(semaphore.prefix)}; 409 says that it moved.`,
    ),
    curlTxn(context.client.settings, pruneOps(semaphore)),
  ]);
  return { writes, touches, manual };
}

async function prune(
  context: ActContext,
  prefix: string,
  expect: Expect,
): Promise<{ part: Part; lost: boolean }> {
  const read = async () => semaphoreIn(await readPrefix(context, prefix), prefix);
  let pruned: string[] = [];
  const { answerLost } = await converge(context, {
    next: async () => {
      const rows = await read();
      const ghosts = ghostsIn(rows);
      requireUnchanged(rowDifference(expect, coordinationKey(prefix), rows.lock, seenOf(ghosts)));
      if (ghosts.length === 0) return null;
      await requireReadable(context, ghostKeys(rows));
      pruned = ghosts;
      return pruneOps(rows);
    },
    reached: async () => {
      const recorded = (await read()).reading?.holders ?? [];
      return !pruned.some((id) => recorded.includes(id));
    },
  });
  const detail = pruned.length === 0 ? 'It had no ghost.' : `Pruned ${named(pruned)}.`;
  return { part: { subject: subjectOf(prefix), done: true, problem: null, detail }, lost: answerLost };
}

export const pruneGhosts: Act<'semaphore.prune'> = {
  async plan({ prefixes }, context) {
    for (const prefix of prefixes) requireInView(context, prefix);
    const fresh = await readAll(context);
    const all = [...new Set(prefixes)].map((prefix) => semaphoreIn(fresh.view.rows, prefix));
    const [only] = all;
    if (all.length === 1 && only !== undefined) requireUnderstood(only);
    // Ghosts seen through a view with gaps may be alive where it does not reach.
    if (!fresh.complete && all.some(({ prefix }) => !fresh.index.covers(prefix)))
      throw refusal(
        'forbidden',
        'Not every key under these prefixes can be read, so no holder is called a ghost.',
      );
    const prunable = all.filter((rows) => rows.reading?.coordination != null && ghostsIn(rows).length > 0);
    if (prunable.length === 0) throw refusal('not-held', 'No recorded holder is a ghost.');
    await requireReadable(context, prunable.flatMap(ghostKeys));
    const total = prunable.reduce((sum, rows) => sum + ghostsIn(rows).length, 0);
    const layouts = new Set(prunable.flatMap(({ prefix }) => semaphoreOf(fresh.world, prefix)?.layout ?? []));
    return {
      plan: {
        summary: `Prune ${total} ${total === 1 ? 'ghost' : 'ghosts'} from ${
          prunable.length === 1 ? prunable[0]?.prefix : `${prunable.length} semaphores`
        }: the sessions recorded there lock nothing under the prefix.`,
        ...planPrune(context, prunable),
        warnings: [...layouts].flatMap((layout) => warning.layoutCaution(layout)),
        friction: 'click',
        confirmName: null,
      },
      expect: {
        entries: all.map((rows) =>
          expectEntry(coordinationKey(rows.prefix), rows.lock, seenOf(ghostsIn(rows))),
        ),
        sessions: [],
      },
    };
  },

  /** One semaphore is refused as a whole; among many, each part says for itself how it went. */
  async apply({ prefixes }, expect, context) {
    for (const prefix of prefixes) requireInView(context, prefix);
    const parts: Part[] = [];
    let lost = false;
    for (const prefix of new Set(prefixes)) {
      try {
        const one = await prune(context, prefix, expect);
        parts.push(one.part);
        lost ||= one.lost;
      } catch (error) {
        if (prefixes.length === 1) throw error;
        const problem = problemOf(error, context.signal);
        parts.push({ subject: subjectOf(prefix), done: false, problem, detail: problem.detail });
      }
    }
    const outcome = await outcomeOf(context, {
      freed: parts.flatMap(({ done, subject, detail }) =>
        done && detail.startsWith('Pruned') ? [subject] : [],
      ),
      lost,
      after: ({ world }) => (prefixes.length === 1 ? semaphoreOf(world, prefixes[0] ?? '') : null),
      parts,
    });
    return { ...outcome, done: parts.every(({ done }) => done) };
  },
};
