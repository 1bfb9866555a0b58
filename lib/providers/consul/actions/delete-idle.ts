/**
 * Deletes an idle subject: the key of a lock, or the coordination entry of a semaphore with its leftovers. Only
 * recognised locks and semaphores, because this is no editor for the key-value store.
 */

import type { ActionOf } from '@/lib/domain/actions/action';
import { expectBytesMax } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { Semaphore } from '@/lib/domain/model';
import { semaphoreSubject } from '@/lib/domain/subject';
import { anyName } from '@/lib/providers/consul/client/acl';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { coordinationKey, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Act, outcomeOf } from './act';
import {
  type ActContext,
  type Fresh,
  isForbidden,
  readAll,
  readPrefix,
  refusal,
  requireAllowed,
  requireInView,
  requireSemaphoreInView,
  semaphoreOf,
  unless,
} from './consistent-read';
import {
  expectEntriesMax,
  expectEntry,
  isThere,
  requireUnchanged,
  rowDifference,
  type SeenChangeCode,
} from './expectation';
import { deletion } from './manual';
import { entriesNeed, entryNeed } from './needs';
import { listedBy } from './semaphore-rows';
import { requireWritable } from './token-rights';
import * as warning from './warning';
import { converge, problemOf } from './write';

/** Consul before 1.14 takes 64 operations in one transaction. */
const opsMax = 64;
const deleteOp = ({ key, modifyIndex }: KvRow): TxnOp => ({ verb: 'delete-cas', key, index: modifyIndex });

/**
 * Deletes these rows only while the first exists. Consul reports success for a `delete-cas` of an absent key
 * (`kvsDeleteCASTxn`), so simultaneous deletions would each claim the result.
 */
const deletionOps = (rows: readonly KvRow[]): TxnOp[] => [
  ...rows
    .slice(0, 1)
    .map(({ key, modifyIndex }): TxnOp => ({ verb: 'check-index', key, index: modifyIndex })),
  ...rows.map(deleteOp),
];

interface FreeLock {
  readonly row: KvRow;
  /** The record that an earlier holder left beside the lock. */
  readonly left: { readonly row: KvRow; readonly who: string | null } | null;
}

function freeLock(fresh: Fresh, key: string): FreeLock {
  const row = fresh.index.row(key);
  const lock = fresh.world.locks.find((one) => one.key === key);
  if (row === undefined || lock === undefined)
    throw refusal('not-found', { code: 'no-lock', facts: { key } });
  if (row.session !== null) throw refusal('conflict-in-use', { code: 'lock-held', facts: {} });
  const beside = lock.leftBehind === null ? undefined : fresh.index.row(lock.leftBehind.key);
  return { row, left: beside === undefined ? null : { row: beside, who: lock.leftBehind?.who ?? null } };
}

/**
 * The lock and its leftover record. Without the record when the token may not delete it, because one missing right
 * fails the transaction.
 */
async function deletable(context: ActContext, { row, left }: FreeLock): Promise<readonly KvRow[]> {
  if (left === null) return [row];
  const mayWrite = requireWritable(context, [left.row.key]).then(() => true);
  return (await unless(isForbidden, mayWrite)) === null ? [row] : [row, left.row];
}

const planDelete = (rows: readonly KvRow[]) =>
  rows.map((row) => ({
    operation: 'delete' as const,
    target: row.key,
    condition: { code: 'index-is' as const, facts: { index: row.modifyIndex } },
    before:
      row.value.length > 0 && row.value.length < 4096
        ? { code: 'stored' as const, facts: { text: row.value.toString('utf8') } }
        : null,
    after: null,
  }));

export const deleteLock: Act<'lock.delete'> = {
  async plan(action, context) {
    const { key } = action;
    requireInView(context, key);
    const fresh = await readAll(context);
    const free = freeLock(fresh, key);
    requireAllowed(action, fresh);
    const { row, left } = free;
    const rows = await deletable(context, free);
    return {
      plan: {
        summary: { code: 'delete-lock', facts: { key } },
        writes: planDelete(rows),
        touches: [],
        warnings: [
          ...(left === null
            ? []
            : [
                {
                  code: rows.length > 1 ? 'lock-info-goes' : 'lock-info-stays',
                  facts: { who: left.who },
                } as const,
              ]),
          { code: 'clients-recreate', facts: { what: 'lock' } },
        ],
        undo: { code: 'none-delete', facts: {}, action: null },
        manual: deletion(
          context.client.settings,
          rows,
          rows.length > 1
            ? { code: 'deletes-entries', facts: {} }
            : { code: 'deletes-while', facts: { key, index: row.modifyIndex } },
        ),
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: rows.map((one) => expectEntry(one.key, one)), sessions: [] },
    };
  },

  shape: ({ key }) => ({
    needs: [key],
    // The record of a Terraform run begins with the name of the lock.
    fits: (entry) => isThere(entry) && entry.key.startsWith(key),
    entriesMax: 2,
  }),

  needs: ({ key }) => entryNeed(key),

  async apply({ key }, seen, context): Promise<Outcome> {
    requireInView(context, key);
    const { answerLost } = await converge(context, {
      next: async () => {
        const fresh = await readAll(context);
        const differenceOf = (of: string) => rowDifference(seen, of, fresh.index.row(of) ?? null);
        const planned = new Set([key, ...seen.entries.map((entry) => entry.key)]);
        requireUnchanged([...planned].flatMap(differenceOf), fresh.index.row(key) === undefined);
        const { row, left } = freeLock(fresh, key);
        // A record that appeared after the plan stays.
        const named = left !== null && seen.entries.some((entry) => entry.key === left.row.key);
        // An acquisition changes the index that `delete-cas` compares, so a new holder is safe.
        return deletionOps(named ? [row, left.row] : [row]);
      },
      reached: async () => (await readAll(context)).index.row(key) === undefined,
    });
    return outcomeOf(context, { freed: [], lost: answerLost, subject: null });
  },
};

/**
 * The first rows that fit into one plan. A plan names every row that it deletes, and the request to apply it repeats
 * them.
 */
function nameable(rows: readonly KvRow[]): KvRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(expectEntry(row.key, row))) + 1;
    return bytes > expectBytesMax;
  });
  return rows.slice(0, Math.min(end === -1 ? rows.length : end, expectEntriesMax));
}

interface Idle {
  /** Rows to delete, the coordination entry first. */
  readonly rows: readonly KvRow[];
  /** Entries that stay because they may be locks. `leftovers`: those that the plan has no room for. */
  readonly locks: number;
  readonly leftovers: number;
}

/**
 * A semaphore and its leftovers. Throws unless it has no holder and no waiter, because a Go client would fail
 * (`api/semaphore.go`). Leftovers without Go's flags may be a client's locks, so they stay, and are listed as locks
 * afterwards.
 */
function idleOf(fresh: Fresh, action: ActionOf<'semaphore.delete'>): Idle {
  const { prefix } = action;
  requireAllowed(action, fresh);
  const semaphore: Semaphore | null = semaphoreOf(fresh.world, prefix);
  const row = fresh.index.row(coordinationKey(prefix));
  if (semaphore === null || row === undefined)
    throw refusal('not-found', { code: 'no-semaphore', facts: { prefix } });
  if (row.session !== null) throw refusal('conflict-in-use', { code: 'entry-locked', facts: {} });
  if (!fresh.index.covers(prefix)) throw refusal('forbidden', { code: 'idle-not-sure', facts: {} });
  const beside = semaphore.leftovers.flatMap((key) => fresh.index.row(key) ?? []);
  const leftovers = beside.filter(({ flags }) => flags === semaphoreFlags);
  const rows = nameable([row, ...leftovers]);
  return {
    rows,
    locks: beside.length - leftovers.length,
    leftovers: 1 + leftovers.length - rows.length,
  };
}

/** Throws `forbidden` when there are holders or waiters that this token may not see. */
async function requireIdle({ judge, signal }: ActContext, prefix: string): Promise<void> {
  const by = judge?.() ?? null;
  if (by === null) return;
  const rows = await listedBy(by, `${prefix}/`, signal);
  const below = (key: string) => !key.slice(prefix.length + 1).includes('/');
  if (rows.some(({ key, session }) => session !== null && below(key)))
    throw refusal('forbidden', { code: 'idle-not-sure', facts: {} });
}

const batches = (rows: readonly KvRow[]) =>
  Array.from({ length: Math.ceil(rows.length / opsMax) }, (_, i) => rows.slice(i * opsMax, (i + 1) * opsMax));

/**
 * Deletes the planned leftovers that the first transaction had no room for. The semaphore is gone by then, so a changed
 * entry stays, and a failure undoes nothing. `stay`: the number of planned leftovers that remain; `null`: unknown.
 */
async function deleteRest(
  prefix: string,
  seen: SeenChangeCode,
  context: ActContext,
): Promise<{ readonly lost: boolean; readonly stay: number | null }> {
  const named = new Set(seen.entries.map((entry) => entry.key));
  const standing = async () =>
    (await readPrefix(context, prefix)).filter(
      (row) =>
        named.has(row.key) &&
        row.key !== coordinationKey(prefix) &&
        rowDifference(seen, row.key, row).length === 0,
    );
  let lost = false;
  try {
    for (let left = await standing(); left.length > 0; left = await standing()) {
      const converged = await converge(context, {
        next: async () => {
          const [batch] = batches(await standing());
          return batch?.map(deleteOp) ?? null;
        },
        reached: async () => (await standing()).length < left.length,
      });
      lost ||= converged.answerLost;
    }
    return { lost, stay: 0 };
  } catch (error) {
    // Throws a bug.
    problemOf(error, context.signal);
    const left = await standing().catch(() => null);
    return { lost, stay: left?.length ?? null };
  }
}

export const deleteSemaphore: Act<'semaphore.delete'> = {
  async plan(action, context) {
    const { prefix } = action;
    requireSemaphoreInView(context, prefix);
    const { rows, locks, leftovers } = idleOf(await readAll(context), action);
    await requireIdle(context, prefix);
    return {
      plan: {
        summary: { code: 'delete-semaphore', facts: { prefix } },
        writes: planDelete(rows),
        touches: [],
        warnings: [
          ...warning.entriesStay(locks, leftovers),
          { code: 'clients-recreate', facts: { what: 'semaphore' } },
        ],
        undo: { code: 'none-delete', facts: {}, action: null },
        manual: batches(rows).flatMap((batch) =>
          deletion(context.client.settings, batch, { code: 'deletes-entries', facts: {} }),
        ),
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: rows.map((row) => expectEntry(row.key, row)), sessions: [] },
    };
  },

  shape: ({ prefix }) => ({
    needs: [coordinationKey(prefix)],
    fits: (entry) => isThere(entry) && entry.key.startsWith(`${prefix}/`),
  }),

  // Leftovers belong to ended sessions, so the question names any id.
  needs: ({ prefix }) => entriesNeed(prefix, anyName),

  async apply(action, seen, context): Promise<Outcome> {
    const { prefix } = action;
    requireSemaphoreInView(context, prefix);
    const key = coordinationKey(prefix);
    let beyond: readonly KvRow[] = [];
    const { answerLost } = await converge(context, {
      next: async () => {
        const fresh = await readAll(context);
        const differenceOf = (of: string) => rowDifference(seen, of, fresh.index.row(of) ?? null);
        requireUnchanged(differenceOf(key), fresh.index.row(key) === undefined);
        // Leftovers that appeared after the plan stay.
        const named = new Set(seen.entries.map((entry) => entry.key));
        const rows = idleOf(fresh, action).rows.filter((row) => named.has(row.key));
        for (const row of rows) requireUnchanged(differenceOf(row.key));
        await requireIdle(context, prefix);
        // A missing right fails only the first transaction as a whole, so the rights to the rest are checked before.
        beyond = rows.slice(opsMax - 1);
        await requireWritable(
          context,
          beyond.map(({ key }) => key),
        );
        return deletionOps(rows.slice(0, opsMax - 1));
      },
      reached: async () => (await readAll(context)).index.row(key) === undefined,
    });
    const rest = beyond.length === 0 ? null : await deleteRest(prefix, seen, context);
    return outcomeOf(context, {
      freed: [],
      lost: answerLost || rest?.lost === true,
      subject: semaphoreSubject(action),
      said: warning.entriesStay(0, rest === null ? 0 : rest.stay),
    });
  },
};
