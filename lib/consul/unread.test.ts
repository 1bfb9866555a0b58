import { expect, test } from 'vitest';
import { unreadPrefixes } from './unread';
import type { Row } from './wire';

const signal = new AbortController().signal;
const row = (key: string): Row => ({
  key,
  value: Buffer.alloc(0),
  flags: '0',
  session: null,
  createIndex: '1',
  modifyIndex: '1',
  lockIndex: '0',
});
const slots = (holders: Record<string, string[]>) =>
  new Map(Object.entries(holders).map(([prefix, ids]) => [`${prefix}/.lock`, { holders: ids }]));

test('a prefix with a recorded holder whose entry is refused proves no absence, and the answer is remembered', async () => {
  const asked = new Map<string, boolean>();
  const asks: string[] = [];
  const refused = async (key: string) => {
    asks.push(key);
    return key.startsWith('hidden/');
  };
  const looked = { rows: [row('seen/a')], slots: slots({ seen: ['a', 'b'], hidden: ['c'] }) };
  expect(await unreadPrefixes(looked, refused, asked, signal)).toEqual({
    prefixes: new Set(['hidden']),
    more: false,
  });
  await unreadPrefixes(looked, refused, asked, signal);
  // What is in view is not asked for, and nothing is asked for twice.
  expect(asks.sort()).toEqual(['hidden/c', 'seen/b']);
  await unreadPrefixes({ rows: [], slots: new Map() }, refused, asked, signal);
  expect(asked.size).toBe(0);
});

test('what was not asked yet is in doubt, not absent', async () => {
  const asked = new Map<string, boolean>();
  const ids = Array.from({ length: 300 }, (_, n) => `${n}`);
  const looked = { rows: [], slots: slots({ big: ids }) };
  const absent = async () => false;
  expect(await unreadPrefixes(looked, absent, asked, signal)).toEqual({
    prefixes: new Set(['big']),
    more: true,
  });
  expect(await unreadPrefixes(looked, absent, asked, signal)).toEqual({ prefixes: new Set(), more: false });
});
