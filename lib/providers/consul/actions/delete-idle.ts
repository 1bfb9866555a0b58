/**
 * Deleting what nobody holds or wants: the key of a lock, or the coordination entry of a semaphore with what was
 * left beside it. Only what was recognised as a lock or semaphore; this is no editor for the key-value store.
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

/** Operations that Consul takes in one transaction (128 since 1.14). */
const opsMax = 64;
const deleteOp = ({ key, modifyIndex }: KvRow): TxnOp => ({ verb: 'delete-cas', key, index: modifyIndex });

/**
 * Deletes these only while the first is there. Consul takes a `delete-cas` of what is gone for done (`kvsDeleteCASTxn`), so of
 * several who delete at once each would report it as their own.
 */
const deletionOps = (rows: readonly KvRow[]): TxnOp[] => [
  ...rows
    .slice(0, 1)
    .map(({ key, modifyIndex }): TxnOp => ({ verb: 'check-index', key, index: modifyIndex })),
  ...rows.map(deleteOp),
];

interface FreeLock {
  readonly row: KvRow;
  /** What an earlier holder left beside it. */
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

/** The lock, and what was left beside it unless the token may not delete that: one transaction is refused as a whole. */
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
          // What an earlier holder left beside it goes too, or the token may not delete it.
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
    // With what a Terraform run left beside it, whose name begins with that of the lock.
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
        // What was left behind since the plan stays.
        const named = left !== null && seen.entries.some((entry) => entry.key === left.row.key);
        // `delete-cas` compares the index, and an acquisition moves it: a holder that comes now is safe.
        return deletionOps(named ? [row, left.row] : [row]);
      },
      reached: async () => (await readAll(context)).index.row(key) === undefined,
    });
    return outcomeOf(context, { freed: [], lost: answerLost, subject: null });
  },
};

/** As many of them, from the first on, as one plan can name: it names each that goes, and all come back to apply it. */
function nameable(rows: readonly KvRow[]): KvRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += Buffer.byteLength(JSON.stringify(expectEntry(row.key, row))) + 1;
    return bytes > expectBytesMax;
  });
  return rows.slice(0, Math.min(end === -1 ? rows.length : end, expectEntriesMax));
}

interface Idle {
  /** To delete, the coordination entry first. */
  readonly rows: readonly KvRow[];
  /** What stays: how many entries that may be locks, and how many more leftovers than a plan can name. */
  readonly locks: number;
  readonly leftovers: number;
}

/**
 * A semaphore and what is left beside it. Throws unless nobody holds and nobody waits: a Go client would fail
 * (`api/semaphore.go`). Of what was left behind only what bears Go's flags, which no lock has: anything else may be
 * somebody's, stays, and is listed as a lock once the semaphore is gone.
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

/** Throws `forbidden` when somebody holds or waits there of whom this token is not told. */
async function requireIdle({ judge, signal }: ActContext, prefix: string): Promise<void> {
  const by = judge?.() ?? null;
  if (by === null) return;
  const rows = await listedBy(by, `${prefix}/`, signal);
  const below = (key: string) => !key.slice(prefix.length + 1).includes('/');
  if (rows.some(({ key, session }) => session !== null && below(key)))
    throw refusal('forbidden', { code: 'idle-not-sure', facts: {} });
}

/** Rows by the transaction. */
const batches = (rows: readonly KvRow[]) =>
  Array.from({ length: Math.ceil(rows.length / opsMax) }, (_, i) => rows.slice(i * opsMax, (i + 1) * opsMax));

/**
 * What the plan named and the first transaction had no room for. The semaphore is gone by then, so nothing is refused any
 * more: an entry that is not as it was is somebody's, and stays. Nor does a failure take back what is done: how many stay for it is told.
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
    // A bug goes on its way.
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

  // Leftover entries of ended sessions are deleted, too, so any id stands for them.
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
        // Those that the plan named. What was left behind since, or only looks so, stays.
        const named = new Set(seen.entries.map((entry) => entry.key));
        const rows = idleOf(fresh, action).rows.filter((row) => named.has(row.key));
        for (const row of rows) requireUnchanged(differenceOf(row.key));
        await requireIdle(context, prefix);
        // The first transaction is refused as a whole for a missing right; what comes after it would be left.
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
