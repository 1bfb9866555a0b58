import { expect, test } from 'vitest';
import type { AuditRow } from '@/lib/domain/actions/audit';
import type { Provider } from '@/lib/domain/seam/provider';
import { entryOf } from '@/test/support/audit';
import { createCursors } from './cursor';
import { partViewer } from './view';

test('a row that does not name all of its subjects is seen by its doer alone, at any rights of others', async () => {
  const provider = {
    readable: async (what) => what.map(() => 'yes' as const),
  } as Pick<Provider, 'readable'> as Provider;
  const ann = { kind: 'token', id: 'a-1', name: 'Ann' } as const;
  const row = (detail: AuditRow['detail']) =>
    ({ ...entryOf({ kind: 'intent', who: ann, subjects: ['lock:a'], detail }), seq: 1 }) as AuditRow;
  const rows = [row({}), row({ subjectsInAll: 2, subjectsDigest: 'x' })];
  const seenBy = async (id: string) => {
    const identity = { kind: 'token', id, name: id } as const;
    const viewer = partViewer({ identity, provider, cursors: createCursors(null), now: Date.now });
    return (await viewer.visible(rows, AbortSignal.timeout(5_000))).length;
  };
  expect([await seenBy('a-1'), await seenBy('b-1')]).toEqual([2, 1]);
});
