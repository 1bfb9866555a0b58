import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openStore } from '@/lib/server/store/store';
import { entryOf } from '@/test/support/audit';
import { createAuditLog } from './audit-log';
import { counted } from './count';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-count-'));
const store = openStore({ folder });
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

test('every row counts by its kind, those of a sweep as well, and every row that could not be written', async () => {
  const metrics = { audited: vi.fn(), auditFailed: vi.fn() };
  const book = createAuditLog({ store, replica: 'here', now: Date.now });
  const audit = counted(book, metrics);
  const entry = entryOf({ kind: 'intent' });
  await audit.append(entry);
  expect(await audit.closeOpen(-1_000)).toBe(1);
  expect(metrics.audited.mock.calls.map(([kind, rows = 1]) => [kind, rows])).toEqual([
    ['intent', 1],
    ['unknown', 1],
  ]);
  expect((await audit.read({ below: null, limit: 9 })).map(({ kind }) => kind)).toEqual([
    'unknown',
    'intent',
  ]);
  const broken = counted({ ...book, append: () => Promise.reject(new Error('away')) }, metrics);
  await expect(broken.append(entry)).rejects.toThrow('away');
  expect(metrics.auditFailed).toHaveBeenCalledOnce();
});
