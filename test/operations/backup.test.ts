/** The backup of the embedded store from `docs/operations.md`, taken while the server writes, and restored. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { createHistoryLog } from '@/lib/server/history/history-log';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { openStore } from '@/lib/server/store/store';
import { entryOf } from '@/test/support/audit';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const command = /^```sh backup\n([\s\S]*?)^```$/m.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? '';

/** More than is written in this test. */
const rowsMax = 100_000;

function bookIn(folder: string) {
  const store = openStore({ folder });
  const audit = createAuditLog({ store, replica: 'here', now: Date.now });
  const append = (reason: string) => audit.append(entryOf({ kind: 'refused', thread: reason, reason }));
  const history = createHistoryLog({ store, writer: 'here', now: Date.now });
  const keep = (n: number) =>
    history.write([{ kind: 'hold', row: holdOf(n, n + 1, { id: `hold-${n}` }) }], n + 1);
  const kept = async () => {
    const query = createHistoryQuery({ store, days: 400, now: Date.now });
    const range = { fromMs: 0, toMs: rowsMax, limit: rowsMax };
    const { episodes } = await query.read({ by: 'source', sources: ['consul'] }, range);
    return { rows: episodes.map(({ id }) => id), untilMs: await query.writtenUntil() };
  };
  const close = async () => {
    await audit.close();
    await store.close();
  };
  return { audit, append, history, keep, kept, close };
}

test('a backup that is taken while rows are written holds every row that was acknowledged before, and is whole', async () => {
  const folder = freshFolder();
  const running = bookIn(folder);
  await running.history.hold();
  let over = false;
  let written = 0;
  const writing = (async () => {
    while (!over) {
      await running.append(`row ${written}`);
      await running.keep(written);
      written += 1;
      // The embedded store's calls are synchronous: without a turn of the loop the backup would never be heard of.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await until(() => written >= 50, { what: 'rows to be there' });
  const before = written;
  const backup = join(freshFolder(), 'backup.db');
  try {
    await promisify(execFile)('sh', ['-euc', command], {
      env: { ...process.env, SIGNALBOX_DATA: folder, BACKUP: backup },
    });
  } finally {
    over = true;
    await writing;
  }

  const restored = join(freshFolder(), 'data');
  mkdirSync(restored, { mode: 0o700 });
  copyFileSync(backup, join(restored, 'signalbox.db'));
  const again = bookIn(restored);
  const state = await again.audit.verify();
  expect(state.brokenAt).toBeNull();
  expect(state.rows).toBeGreaterThanOrEqual(before);
  expect(state.rows).toBeLessThanOrEqual(written);
  // The history is in the same file: each hold once, from the first on, and it says until when.
  const { rows, untilMs } = await again.kept();
  expect(rows.length).toBeGreaterThanOrEqual(before);
  expect(rows).toEqual(Array.from({ length: rows.length }, (_, n) => `hold-${n}`));
  expect(untilMs).toBe(rows.length);
  expect(await again.history.hold()).toMatchObject({ untilMs: rows.length, holds: [] });
  // It continues from there, as the same chain.
  const next = await again.append('after the restore');
  expect(next).toMatchObject({ seq: state.rows + 1, before: state.head });
  expect(await again.audit.verify()).toMatchObject({ rows: state.rows + 1, brokenAt: null });
  await again.close();
  await running.close();
});
