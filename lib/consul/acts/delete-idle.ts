/**
 * Deleting what nobody holds or wants: the key of a lock, or the coordination entry of a semaphore with what was
 * left beside it. Only what was recognised as a lock or semaphore; this is no editor for the key-value store.
 */

import type { Row, TxnOp } from '@/lib/consul/wire';
import type { Outcome } from '@/lib/domain/action';
import type { Semaphore } from '@/lib/domain/model';
import { type Act, outcomeOf } from './act';
import { expectEntry, requireUnchanged, rowDifference } from './expectation';
import { coordinationKey, type Fresh, readAll, refusal, requireInView, semaphoreOf } from './fresh';
import { comment, curlTxn } from './manual';
import * as warning from './warning';
import { converge } from './write';

/** Consul takes 64 operations in one transaction (128 since 1.14); the rest stays for the next time. */
const leftoversMax = 63;

const deleteOp = ({ key, modifyIndex }: Row): TxnOp => ({ verb: 'delete-cas', key, index: modifyIndex });

function freeLock(fresh: Fresh, key: string): Row {
  const row = fresh.index.row(key);
  if (row === undefined || !fresh.world.locks.some((lock) => lock.key === key))
    throw refusal('not-found', `There is no lock ${key}.`);
  if (row.session !== null) throw refusal('conflict-in-use', 'A session holds this lock.');
  return row;
}

const planDelete = (rows: readonly Row[]) =>
  rows.map((row) => ({
    operation: 'delete' as const,
    target: row.key,
    condition: `index ${row.modifyIndex}`,
    before: row.value.length > 0 && row.value.length < 4096 ? row.value.toString('utf8') : null,
    after: null,
  }));

export const deleteLock: Act<'lock.delete'> = {
  async plan({ key }, context) {
    requireInView(context, key);
    const row = freeLock(await readAll(context), key);
    return {
      plan: {
        summary: `Delete the key ${key}. Nobody holds it.`,
        writes: planDelete([row]),
        touches: [],
        warnings: [warning.clientsRecreate('the key')],
        manual: [
          comment(`Deletes ${key} only while its index is ${row.modifyIndex}; 409 says that it moved.`),
          curlTxn(context.client.settings, [deleteOp(row)]),
        ],
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: [expectEntry(key, row)], sessions: [] },
    };
  },

  async apply({ key }, expect, context): Promise<Outcome> {
    requireInView(context, key);
    const { answerLost } = await converge(context, {
      next: async () => {
        const fresh = await readAll(context);
        requireUnchanged(rowDifference(expect, key, fresh.index.row(key) ?? null));
        // `delete-cas` compares the index, and an acquisition moves it: a holder that comes now is safe.
        return [deleteOp(freeLock(fresh, key))];
      },
      reached: async () => (await readAll(context)).index.row(key) === undefined,
    });
    return outcomeOf(context, { freed: [], lost: answerLost, after: () => null });
  },
};

/** The rows to delete. Throws unless nobody holds and nobody waits: a Go client would fail (`api/semaphore.go`). */
function idleRows(fresh: Fresh, prefix: string): Row[] {
  const semaphore: Semaphore | null = semaphoreOf(fresh.world, prefix);
  const row = fresh.index.row(coordinationKey(prefix));
  if (semaphore === null || row === undefined) throw refusal('not-found', `There is no semaphore ${prefix}.`);
  if (semaphore.holders.length > 0)
    throw refusal('conflict-in-use', 'Holders are recorded. Prune or evict them first.');
  if (semaphore.waiters.length > 0) throw refusal('conflict-in-use', 'Sessions wait for a slot.');
  if (row.session !== null) throw refusal('conflict-in-use', 'A session locks the coordination entry.');
  if (!fresh.index.covers(prefix))
    throw refusal('forbidden', 'Not every key under this prefix can be read, so it is not called idle.');
  const leftovers = semaphore.leftovers.flatMap((key) => fresh.index.row(key) ?? []);
  return [row, ...leftovers.slice(0, leftoversMax)];
}

export const deleteSemaphore: Act<'semaphore.delete'> = {
  async plan({ prefix }, context) {
    requireInView(context, prefix);
    const rows = idleRows(await readAll(context), prefix);
    const ops = rows.map(deleteOp);
    return {
      plan: {
        summary: `Delete the semaphore ${prefix}. Nobody holds or wants it.`,
        writes: planDelete(rows),
        touches: [],
        warnings: [warning.clientsRecreate('the semaphore')],
        manual: [
          comment('Deletes the entries only while their indexes stand; 409 says that one moved.'),
          curlTxn(context.client.settings, ops),
        ],
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: rows.slice(0, 1).map((row) => expectEntry(row.key, row)), sessions: [] },
    };
  },

  async apply({ prefix }, expect, context): Promise<Outcome> {
    requireInView(context, prefix);
    const key = coordinationKey(prefix);
    const { answerLost } = await converge(context, {
      next: async () => {
        const fresh = await readAll(context);
        requireUnchanged(rowDifference(expect, key, fresh.index.row(key) ?? null));
        return idleRows(fresh, prefix).map(deleteOp);
      },
      reached: async () => (await readAll(context)).index.row(key) === undefined,
    });
    return outcomeOf(context, {
      freed: [],
      lost: answerLost,
      after: ({ world }) => semaphoreOf(world, prefix),
    });
  },
};
