import { expect, test } from 'vitest';
import { newAnswers } from './known-answers';
import { unreadPrefixes } from './unreadable-entries';

const { signal } = new AbortController();

/** A token that may read no key below the prefixes `hides`, and the keys that it asks for. */
function stage(hides: string[] = []) {
  const answers = newAnswers();
  const asks: string[] = [];
  const refused = async (key: string) => {
    asks.push(key);
    return hides.some((prefix) => key.startsWith(prefix));
  };
  return {
    answers,
    find: (missed: ReadonlyMap<string, string>, nowMs = 1_000) =>
      unreadPrefixes(missed, refused, answers, { nowMs, signal }),
    asked: () => asks.splice(0).sort(),
    grant: (prefix: string) => void hides.splice(hides.indexOf(prefix), 1),
  };
}

const entries = (prefix: string, count: number): [string, string][] =>
  Array.from({ length: count }, (_, n) => [`${prefix}/${n}`, prefix]);

test('a prefix with a recorded holder whose entry is refused proves no absence, and the answer is remembered', async () => {
  const on = stage(['hidden/']);
  const missed = new Map([
    ['seen/b', 'seen'],
    ['hidden/c', 'hidden'],
  ]);
  expect(await on.find(missed)).toEqual({ prefixes: new Set(['hidden']), askAtMs: 31_000 });
  expect(on.asked()).toEqual(['hidden/c', 'seen/b']);
  expect(await on.find(missed, 30_999)).toEqual({ prefixes: new Set(['hidden']), askAtMs: 31_000 });
  expect(on.asked()).toEqual([]);
  await on.find(new Map());
  expect([on.answers.plain.size, on.answers.hidden.size]).toEqual([0, 0]);
});

test('an entry that was refused is asked for again after 30 s, so a right that is granted shows an absence', async () => {
  const on = stage(['hidden/']);
  const missed = new Map([
    ['seen/b', 'seen'],
    ['hidden/c', 'hidden'],
  ]);
  await on.find(missed);
  on.asked();
  expect(await on.find(missed, 31_000)).toEqual({ prefixes: new Set(['hidden']), askAtMs: 61_000 });
  expect(on.asked()).toEqual(['hidden/c']);
  on.grant('hidden/');
  expect(await on.find(missed, 61_000)).toEqual({ prefixes: new Set(), askAtMs: null });
  expect(on.asked()).toEqual(['hidden/c']);
});

test('an entry that was not asked for yet is in doubt, not absent', async () => {
  const on = stage();
  const missed = new Map(entries('big', 300));
  expect(await on.find(missed)).toEqual({ prefixes: new Set(['big']), askAtMs: 1_250 });
  expect(await on.find(missed)).toEqual({ prefixes: new Set(), askAtMs: null });
});

test('of very many refused entries 256 are asked for again in 30 s, each in its turn, and more while they are granted', async () => {
  const on = stage(['hidden/']);
  const missed = new Map(entries('hidden', 600));
  const looks = [1_000, 1_250, 1_500];
  for (const nowMs of looks) await on.find(missed, nowMs);
  expect(new Set(on.asked()).size).toBe(600);
  const again: string[] = [];
  for (const nowMs of [31_000, 31_250, 60_999, 61_000, 90_999, 91_000]) {
    await on.find(missed, nowMs);
    const names = on.asked();
    expect(names.length).toBe(nowMs % 30_000 === 1_000 ? 256 : 0);
    again.push(...names);
  }
  expect(new Set(again).size, 'all of them in three turns').toBe(600);
  on.grant('hidden/');
  const found = await on.find(missed, 121_000);
  expect(found).toEqual({ prefixes: new Set(['hidden']), askAtMs: 121_250 });
  await on.find(missed, 121_250);
  expect((await on.find(missed, 121_500)).prefixes).toEqual(new Set());
});
