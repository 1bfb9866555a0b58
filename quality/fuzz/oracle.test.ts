/** The oracles themselves: each must be able to say no. */
import { expect, test } from 'vitest';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { agreesWithRows, canonical, namesWhatDiffers, rawRows } from './oracle';

const flags = '16210313421097356768';
const rows = (over: object = {}) => [
  {
    Key: 'jobs/.lock',
    Flags: flags,
    ModifyIndex: '7',
    Value: Buffer.from('{"Limit":2,"Holders":{"a":true}}').toString('base64'),
    ...over,
  },
  { Key: 'jobs/a', Session: 'a', Flags: flags, ModifyIndex: '8', Value: null },
  { Key: 'leader', Session: 'b', Flags: '0', ModifyIndex: '9', Value: null },
];
const world = (lock: object = {}, semaphore: object = {}) =>
  ({
    locks: [
      { key: 'leader', exists: true, flags: '0', modifyIndex: '9', holder: { sessionId: 'b' }, ...lock },
    ],
    semaphores: [{ prefix: 'jobs', limit: 2, holders: [{ sessionId: 'a' }], waiters: [], ...semaphore }],
  }) as unknown as Snapshot;

test('a world that says what the rows say is let through', () => {
  expect(agreesWithRows(rows(), world())).toBe(3);
});

test.each<[string, Snapshot]>([
  ['another holder', world({ holder: { sessionId: 'a' } })],
  ['no holder', world({ holder: null })],
  ['flags that were rounded', world({ flags: '1' })],
  ['another index', world({ modifyIndex: '10' })],
  ['a lock that is nowhere', world({ key: 'follower' })],
  ['another limit', world({}, { limit: 3 })],
  ['a holder too few', world({}, { holders: [], waiters: [{ sessionId: 'a' }] })],
  ['nobody of those who contend', world({}, { limit: null, holders: [], waiters: [] })],
  ['another semaphore', world({}, { prefix: 'tasks' })],
])('a world that shows %s is refused', (_, wrong) => {
  expect(() => agreesWithRows(rows(), wrong)).toThrow();
});

test('numbers of 64 bits are read as they stand, and what is no list of rows is not judged', () => {
  const body = (text: string) => rawRows(Buffer.from(text));
  expect(body(`[{"Key":"a","Flags":${flags},"ModifyIndex": 7}]`)).toMatchObject([
    { Flags: flags, ModifyIndex: '7' },
  ]);
  for (const text of ['{}', 'null', '[1]', '[{"Key":1}]', '[{"Key":"a"},{"Key":"a"}]', '['])
    expect(body(text)).toBeNull();
});

test('a patch must speak of each row that differs, once, and of no other', () => {
  const of = (...sessions: object[]) =>
    ({ locks: [], semaphores: [], sessions, findings: [] }) as unknown as Snapshot;
  const [before, after] = [of({ id: 'a', n: 1 }, { id: 'b' }), of({ id: 'a', n: 2 }, { id: 'c' })];
  const patch = (edit: string[], put: string[], remove: string[]) => ({
    put: { sessions: put.map((id) => ({ id })) },
    edit: { sessions: edit.map((name) => ({ of: name })) },
    remove: { sessions: remove },
  });
  expect(() => namesWhatDiffers(patch(['a'], ['c'], ['b']), before, after)).not.toThrow();
  expect(() => namesWhatDiffers(patch(['a'], ['c'], []), before, after)).toThrow('silent');
  expect(() => namesWhatDiffers(patch([], ['a', 'c'], ['b', 'x']), before, after)).toThrow('the same');
  expect(() => namesWhatDiffers(patch(['a'], ['a', 'c'], ['b']), before, after)).toThrow('twice');
  expect(() => namesWhatDiffers(null, before, after)).toThrow('silent');
  expect(() => namesWhatDiffers(null, before, before)).not.toThrow();
});

test('one content has one text, in any order of its members', () => {
  expect(canonical({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
});
