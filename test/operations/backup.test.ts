/** The backup of the embedded store from `docs/operations.md`, taken while the server writes, and restored. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';
import { entryOf } from '@/test/support/audit';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const command = /^```sh backup\n([\s\S]*?)^```$/m.exec(readFileSync('docs/operations.md', 'utf8'))?.[1] ?? '';

function bookIn(folder: string) {
  const store = openStore({ folder });
  const audit = createAuditLog({ store, replica: 'here', now: Date.now });
  const append = (reason: string) => audit.append(entryOf({ kind: 'refused', thread: reason, reason }));
  const close = async () => {
    await audit.close();
    await store.close();
  };
  return { audit, append, close };
}

test('a backup that is taken while rows are written holds every row that was acknowledged before, and is whole', async () => {
  const folder = freshFolder();
  const running = bookIn(folder);
  let over = false;
  let written = 0;
  const writing = (async () => {
    while (!over) {
      await running.append(`row ${written}`);
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
  // It continues from there, as the same chain.
  const next = await again.append('after the restore');
  expect(next).toMatchObject({ seq: state.rows + 1, before: state.head });
  expect(await again.audit.verify()).toMatchObject({ rows: state.rows + 1, brokenAt: null });
  await again.close();
  await running.close();
});
