import { expect, test } from 'vitest';
import type { AuditRow } from '@/lib/domain/actions/audit';
import { entryOf } from '@/test/support/audit';
import { createCursors } from './cursor';
import { readRows } from './page';
import { readAuditQuery } from './query';
import { auditViewerOf } from './view';

const rows = [
  { subjects: ['lock:a'], detail: {} },
  { subjects: ['other!lock:a'], detail: {} },
  { subjects: [], kind: 'grant-created', detail: { view: 'board', prefix: '' } },
  { subjects: [], kind: 'grant-created', detail: { view: 'board', prefix: '', source: 'other' } },
  { subjects: [], kind: 'sign-in', detail: {} },
].map((over, i) => ({
  ...entryOf(over as Parameters<typeof entryOf>[0]),
  seq: 5 - i,
  atMs: 1,
})) as AuditRow[];

async function found(query: Record<string, string>): Promise<number[]> {
  const signal = AbortSignal.timeout(5_000);
  const { below: _below, limit, format: _format, ...filter } = readAuditQuery(query);
  const caller = { identity: { kind: 'anonymous' }, accessControl: 'off', viewpoint: {} } as never;
  const viewer = await auditViewerOf(caller, { auditCursors: createCursors(null), now: Date.now }, signal);
  const scan = { audit: { read: async () => rows }, viewer, filter, below: null, nowMs: 2, signal };
  return (await readRows(scan, limit)).of.map((row) => rows.findIndex(({ detail }) => detail === row.detail));
}

test('rows are found by their source, and those from before there were several are of the first', async () => {
  expect(await found({})).toEqual([0, 1, 2, 3, 4]);
  expect(await found({ source: 'consul' })).toEqual([0, 2]);
  expect(await found({ source: 'other' })).toEqual([1, 3]);
});

test('a whole subject is of one source, and a part of a name is found in each', async () => {
  expect(await found({ subject: 'lock:a' })).toEqual([0]);
  expect(await found({ subject: 'other!lock:a' })).toEqual([1]);
  expect(await found({ subject: 'a' })).toEqual([0, 1]);
});

test('what cannot be the id of a source is refused', () => {
  expect(() => readAuditQuery({ source: 'Not an id' })).toThrow();
});
