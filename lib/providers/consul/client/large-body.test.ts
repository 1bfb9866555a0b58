import { expect, test } from 'vitest';
import { finish } from '@/lib/domain/sliced-work';
import { LargeBody, noteSame, readBody, readingJson, readList } from './large-body';
import { readJson } from './wire';

/** A row with a text that looks like the beginning of one. */
const row = (key: string, kb = 300) => ({
  LockIndex: 0,
  Key: key,
  Flags: 7,
  Value: 'eA=='.repeat(256 * kb),
  CreateIndex: 10,
  ModifyIndex: 10,
});
const odd = ['a', 'b"},{"LockIndex":', '},{', '\\"},{"LockIndex":1}', ',{"LockIndex"', 'ü€😀', '[{"'];
const rows = [...odd, ...odd, ...odd].map((key) => row(key));

const parsed = (text: string) => {
  const body = Buffer.from(text);
  const steps = [...readingJson(new LargeBody(body))].length;
  const value = finish(readingJson(new LargeBody(body)));
  expect(value).toEqual(readJson(body));
  return { steps, value };
};

test.each([undefined, 4])(
  'a long list is read piece by piece as it is read at once (indent %s)',
  (indent) => {
    const { steps } = parsed(JSON.stringify(rows, null, indent));
    expect(steps).toBeGreaterThan(3);
  },
);

test('flags of 64 bits are exact in every piece', () => {
  const text = JSON.stringify(rows).replaceAll('"Flags":7', '"Flags":16210313421097356768');
  const { value } = parsed(text);
  expect((value as { Flags: string }[]).every(({ Flags }) => Flags === '16210313421097356768')).toBe(true);
});

test('objects within objects that begin as those of the list do are read all the same', () => {
  const inner = Array.from({ length: 40_000 }, (_, i) => ({ ID: `c${i}` }));
  const sessions = Array.from({ length: 4 }, (_, i) => ({ ID: `s${i}`, ServiceChecks: inner }));
  parsed(JSON.stringify(sessions));
  parsed(JSON.stringify([{ list: inner }]));
});

test('a body that is no list, or no JSON, is read or refused as at once', () => {
  expect(parsed(JSON.stringify({ Value: 'x'.repeat(2_000_000) })).steps).toBe(0);
  const cut = Buffer.from(JSON.stringify(rows).slice(0, -100));
  expect(() => finish(readingJson(new LargeBody(cut)))).toThrow(SyntaxError);
  const more = Buffer.from(`${JSON.stringify(rows)}]`);
  expect(() => finish(readingJson(new LargeBody(more)))).toThrow(SyntaxError);
});

test('only a large answer is left for later', () => {
  expect(readBody(Buffer.from('[1]'))).toEqual([1]);
  expect(readBody(Buffer.from(JSON.stringify(rows)))).toBeInstanceOf(LargeBody);
});

test('a long answer that says the same again is not read again, and one that differs in a byte is', async () => {
  const text = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => ({ Key: `jobs/${n}` })));
  let read = 0;
  const parse = (body: unknown) => {
    read += 1;
    return (body as { Key: string }[]).map(({ Key }) => Key);
  };
  const ask = (said: string, known: readonly string[]) => readList(readBody(Buffer.from(said)), known, parse);
  const first = await ask(text, []);
  expect(first).toHaveLength(2_000);
  expect(await ask(text, first)).toBe(first);
  expect(read).toBe(1);
  const next = await ask(text.replace('jobs/1999', 'jobs/1998'), first);
  expect(next.at(-1)).toBe('jobs/1998');
  expect(await ask(text, next)).toEqual(first);
  expect(read).toBe(3);
  // A list that was made of what was read says the same.
  const kept = [...next];
  noteSame(next, kept);
  expect(await ask(text.replace('jobs/1999', 'jobs/1998'), kept)).toBe(kept);
  expect(read).toBe(3);
});

test('a short answer is read each time', async () => {
  const known = await readList([1], [], () => [1]);
  expect(await readList([1], known, () => [2])).toEqual([2]);
});
