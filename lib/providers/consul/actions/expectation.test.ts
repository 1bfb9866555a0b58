import { expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { createActor } from './actions';

/** Nothing is asked of Consul for what has another form, so a client that can do nothing will do. */
const actor = createActor({ client: {} as ConsulClient, now: Date.now });
const action: Action = { type: 'lock.delete', source: 'consul', key: 'k' };
const entry = { key: 'k', modifyIndex: '7', session: null };
const good = { entries: [entry], sessions: [] };

test.each([
  [
    'an index that is no number',
    { ...good, entries: [{ ...entry, modifyIndex: 'x' }] },
    '.entries.0.modifyIndex',
  ],
  ['half of a character in a key', { ...good, entries: [{ ...entry, key: 'a\ud800' }] }, '.entries.0.key'],
  ['a member of another provider', { ...good, version: 12 }, ''],
  ['too many entries', { ...good, entries: Array.from({ length: 1_001 }, () => entry) }, '.entries'],
  ['no sessions', { entries: [entry] }, '.sessions'],
])('%s is refused by the member where it stands, with a plan or without', async (_, seen, where) => {
  const refusal = {
    code: 'invalid',
    why: { code: 'request-not-understood', facts: { where: `expect${where}` } },
  };
  expect(actor.refuses(action, seen)).toEqual(refusal);
  expect(await actor.apply(action, seen, AbortSignal.timeout(1_000))).toEqual(refusal);
  expect(actor.saw(action, seen)).toEqual(sawNothing);
});

test('the record gets what the plan saw without what only the provider compares', () => {
  const seen = {
    entries: [{ ...entry, createIndex: '3', seen: '2' }],
    sessions: ['s'],
    verdict: 'suspect',
    holdings: { count: 4, digest: 'd' },
  };
  expect(actor.refuses(action, good)).toBeNull();
  expect(actor.saw(action, seen)).toEqual({
    entries: [{ key: 'k', index: '7', session: null, seen: '2' }],
    sessions: ['s'],
    verdict: 'suspect',
    holdings: 4,
  });
});
