import { expect, test } from 'vitest';
import { unreadPrefixes } from './unreadable-entries';

const signal = new AbortController().signal;

test('a prefix with a recorded holder whose entry is refused proves no absence, and the answer is remembered', async () => {
  const asked = new Map<string, boolean>();
  const asks: string[] = [];
  const refused = async (key: string) => {
    asks.push(key);
    return key.startsWith('hidden/');
  };
  const missed = new Map([
    ['seen/b', 'seen'],
    ['hidden/c', 'hidden'],
  ]);
  expect(await unreadPrefixes(missed, refused, asked, signal)).toEqual({
    prefixes: new Set(['hidden']),
    more: false,
  });
  await unreadPrefixes(missed, refused, asked, signal);
  // Nothing is asked for twice.
  expect(asks.sort()).toEqual(['hidden/c', 'seen/b']);
  await unreadPrefixes(new Map(), refused, asked, signal);
  expect(asked.size).toBe(0);
});

test('an entry that was not asked for yet is in doubt, not absent', async () => {
  const asked = new Map<string, boolean>();
  const missed = new Map(Array.from({ length: 300 }, (_, n) => [`big/${n}`, 'big']));
  const absent = async () => false;
  expect(await unreadPrefixes(missed, absent, asked, signal)).toEqual({
    prefixes: new Set(['big']),
    more: true,
  });
  expect(await unreadPrefixes(missed, absent, asked, signal)).toEqual({ prefixes: new Set(), more: false });
});
