import { expect, onTestFinished, test, vi } from 'vitest';
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';
import { entryOf } from '@/test/support/audit';
import { createAuditLater } from './retry-queue';

const entry = (thread: string) => entryOf({ kind: 'outcome', thread });

/** A store that is away until the test brings it back. */
function start(max?: number) {
  const written: string[] = [];
  const lost: unknown[] = [];
  const state = { away: true };
  const since: (number | undefined)[] = [];
  const log = {
    info: () => {},
    error: (line: Record<string, unknown>, message: string) => {
      if (message === 'audit row lost') lost.push((line.row as AuditEntry).thread);
    },
  } as never;
  const later = createAuditLater({
    audit: {
      append: async ({ thread }, at) => {
        since.push(at);
        if (state.away) throw new Error('away');
        written.push(thread);
        return {} as AuditRow;
      },
    },
    log,
    ...(max === undefined ? {} : { max }),
    retryMs: { first: 5, longest: 20 },
  });
  return { later, written, lost, state, since };
}

test('rows that could not be written are written in their order once the store is back', async () => {
  const { later, written, lost, state } = start();
  for (const thread of ['1', '2', '3']) await later.write(entry(thread));
  expect(later.pending).toBe(3);
  state.away = false;
  await expect.poll(() => later.pending).toBe(0);
  expect(written).toEqual(['1', '2', '3']);
  expect(lost).toEqual([]);
  await later.close();
});

test('a row that fails while another is tried again is not taken for written with it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const calls: { readonly thread: string; readonly end: (fails: boolean) => void }[] = [];
  const append = ({ thread }: AuditEntry) =>
    new Promise<AuditRow>((resolve, reject) => {
      calls.push({ thread, end: (fails) => (fails ? reject(new Error('away')) : resolve({} as AuditRow)) });
    });
  const log = { info: () => {}, error: () => {} } as never;
  const later = createAuditLater({ audit: { append }, log });
  const tried = () => calls.map(({ thread }) => thread);
  const [first, second] = [later.write(entry('1')), later.write(entry('2'))];
  calls.shift()?.end(true);
  await first;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tried()).toEqual(['2', '1']);
  // The store does not answer the retry of the first row yet.
  calls.shift()?.end(true);
  await second;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tried()).toEqual(['1']);
  calls.shift()?.end(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(tried()).toEqual(['2']);
  calls.shift()?.end(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([tried(), later.pending]).toEqual([['2'], 1]);
  calls.shift()?.end(false);
  await later.close();
  expect(later.pending).toBe(0);
});

test('a row that waits keeps the time of its event, however often it is tried', async () => {
  const { later, since, state } = start();
  const before = performance.now();
  await later.write(entry('1'));
  const after = performance.now();
  await expect.poll(() => since.length).toBeGreaterThan(3);
  state.away = false;
  await expect.poll(() => later.pending).toBe(0);
  expect(new Set(since).size).toBe(1);
  expect(since[0]).toBeGreaterThanOrEqual(before);
  expect(since[0]).toBeLessThanOrEqual(after);
  await later.close();
});

test('beyond the bound a row is lost to the store and stands whole in the log', async () => {
  const { later, lost } = start(2);
  for (const thread of ['1', '2', '3']) await later.write(entry(thread));
  expect(later.pending).toBe(2);
  expect(lost).toEqual(['3']);
  await later.close();
});

test('the end tries once more, and logs the rest', async () => {
  const away = start();
  await away.later.write(entry('1'));
  await away.later.write(entry('2'));
  await away.later.close();
  expect([away.written, away.lost]).toEqual([[], ['1', '2']]);

  const back = start();
  await back.later.write(entry('1'));
  back.state.away = false;
  await back.later.close();
  expect([back.written, back.lost]).toEqual([['1'], []]);
});

test('a row that comes after the end is tried once, and stands in the log where that fails', async () => {
  const { later, written, lost, state } = start();
  await later.close();
  await later.write(entry('late'));
  expect([later.pending, lost]).toEqual([0, ['late']]);
  state.away = false;
  await later.write(entry('later'));
  expect(written).toEqual(['later']);
});
