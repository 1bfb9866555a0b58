/** The invariants themselves: each must be able to break, or a run that holds says nothing. */
import { expect, test } from 'vitest';
import type { EvidenceCode, Verdict } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { WriteCall } from '@/test/support/overheard';
import { reappeared, spoiled } from './entries';
import { calledWell, type Entry, holdersOfScreen } from './holders';
import { mayBeTaken, note } from './invariants';
import { misdone, type Recorded, takenOff, thereAllTheSame, unasked } from './judging';
import { actorOf, type Deed } from './operator';
import { coordinationOf, linesOfScreen, linesOfTruth, lockFlags, semaphoreFlags } from './reader';

const entry = (key: string, value: string, over: Partial<Entry> = {}): Entry => ({
  key,
  value,
  session: null,
  flags: semaphoreFlags,
  modifyIndex: '7',
  ...over,
});
const pool = (value: string, over: Partial<Entry> = {}) => entry('chaos/pool/.lock', value, over);
const sound = pool('{"Limit":2,"Holders":{"a":true,"b":true}}');

test('a sound entry breaks nothing', () => {
  const lock = entry('chaos/pulse', '12', { flags: lockFlags, session: 'a' });
  expect(spoiled([sound, lock])).toEqual([]);
});

test.each<[string, Entry]>([
  ['flags that went through a number', pool(sound.value, { flags: '16210313421097357000' })],
  ['flags of nothing', entry('chaos/pulse', '12', { flags: '0' })],
  ['another limit than that of its clients', pool('{"Limit":3,"Holders":{}}')],
  ['more holders than its limit', pool('{"Limit":2,"Holders":{"a":true,"b":true,"c":true}}')],
  ['a shape that Go does not read', pool('{"limit":2,"holders":["a"]}')],
  ['a limit that is no integer', pool('{"Limit":2.0,"Holders":{}}')],
  ['nothing in it', pool('')],
  ['a session that locks it', pool(sound.value, { session: 'a' })],
])('%s is seen', (_, spoilt) => {
  expect(spoiled([spoilt])).toHaveLength(1);
});

test('a limit that was refused and is there all the same is seen, and no other is', () => {
  const entries = [sound, entry('chaos/limit/.lock', '{"Limit":12,"Holders":{}}')];
  expect(reappeared(entries, new Set([12, 13]))).toEqual([12]);
  expect(reappeared(entries, new Set([2, 13]))).toEqual([]);
});

const txn = (over: Partial<WriteCall> = {}): WriteCall => ({
  line: 'PUT /v1/txn',
  text: 'PUT /v1/txn HTTP/1.1\r\n\r\n[{"KV":{"Verb":"cas","Key":"chaos/limit/.lock","Index":7}}]',
  status: 200,
  told: true,
  ...over,
});
const destroyed: WriteCall = { line: 'PUT /v1/session/destroy/a', text: '', status: 200, told: true };
const deed = (over: Partial<Deed>): Deed => ({
  atMs: 0,
  answeredMs: 100,
  action: { type: 'semaphore.resize', source: 'consul', prefix: 'chaos/limit', limit: 12 },
  told: 'done',
  seen: true,
  own: true,
  unheard: false,
  calls: [txn()],
  parts: [],
  ...over,
});
const eviction = {
  action: {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 'chaos/pool',
    sessionId: 'a',
    how: 'destroy-session',
  },
  own: false,
} as const;
const lost = { status: null, told: false };
const part = (name: string, done: boolean, seen: boolean) => ({ name, done, seen });

test.each<[string, Partial<Deed>, string[]]>([
  ['done, and so it is', {}, []],
  ['done, and it is not so', { seen: false }, ['untrue']],
  ['refused, and it did not happen', { told: 'stale', seen: false, calls: [txn({ status: 409 })] }, []],
  ['refused, and it happened all the same', { told: 'stale' }, ['untrue']],
  [
    'refused, and Consul had ended the session',
    { ...eviction, told: 'stale', calls: [destroyed] },
    ['untrue'],
  ],
  ['refused, and the session left by itself', { ...eviction, told: 'stale', calls: [] }, []],
  ['unknown, for the answer was lost', { told: 'unknown-result', calls: [txn(lost)] }, []],
  ['unknown, for an answer was spoiled', { told: 'unknown-result', calls: [txn({ told: false })] }, []],
  ['unknown, for a connection broke', { told: 'unknown-result', calls: [], unheard: true, seen: false }, []],
  ['unknown, although nothing was sent', { told: 'unknown-result', calls: [] }, ['untrue']],
  ['unknown, although Consul had said that it is done', { told: 'unknown-result' }, ['untrue']],
  [
    'unknown, although Consul had refused it',
    { told: 'unknown-result', calls: [txn({ status: 409 })] },
    ['untrue'],
  ],
  [
    'unknown, of a session that Consul says to have ended',
    { ...eviction, told: 'unknown-result', calls: [destroyed] },
    [],
  ],
  [
    'partly, and each part is told right',
    { told: 'partly', parts: [part('a', true, true), part('b', false, false)] },
    [],
  ],
  ['partly, with every part done', { told: 'partly', parts: [part('a', true, true)] }, ['untrue']],
  [
    'partly, with a part done that is not',
    { told: 'partly', parts: [part('a', true, false), part('b', false, false)] },
    ['untrue'],
  ],
  [
    'partly, with a part refused that is done',
    { told: 'partly', parts: [part('a', true, true), part('b', false, true)] },
    ['untrue'],
  ],
  ['done, with a part that is not', { parts: [part('a', true, true), part('b', true, false)] }, ['untrue']],
  ['nothing at all', { told: 'no-answer' }, ['unanswered']],
  ['done, and sent again after it was lost', { calls: [txn(lost), txn()] }, ['sent-twice']],
  ['done, and sent again after a proxy said 429', { calls: [txn({ status: 429 }), txn()] }, ['sent-twice']],
  ['done, and sent again after Consul refused it', { calls: [txn({ status: 409 }), txn()] }, []],
  [
    'done, and sent again after a refusal that was lost',
    { calls: [txn({ status: 409, told: false }), txn()] },
    ['sent-twice'],
  ],
  ['done, and its session ended twice', { ...eviction, calls: [destroyed, destroyed] }, ['sent-twice']],
])('an action that is reported as %s', (_, over, broken) => {
  expect(misdone(deed(over)).map(({ invariant }) => invariant)).toEqual(broken);
});

test('a refused action whose effect is there later is named, unless a fault undid what it acted on', () => {
  const action = { type: 'lock.delete', source: 'consul', key: 'chaos/free' } as const;
  const looked = { action, atMs: 100, lookedMs: 30_100 };
  const undone = [{ fromMs: 0, toMs: 99 }];
  expect(thereAllTheSame([{ ...looked, seen: false }], [])).toEqual([]);
  expect(thereAllTheSame([{ ...looked, seen: true }], undone)).toEqual(['lock.delete of chaos/free']);
  expect(thereAllTheSame([{ ...looked, seen: true }], [{ fromMs: 200, toMs: 30_200 }])).toEqual([]);
});

test.each([9, 8, 10])('each of %i deeds meets each of three actors', (deeds) => {
  const actors = 3;
  const turns = Array.from({ length: deeds * actors }, (_, turn) => turn);
  const met = new Set(turns.map((turn) => `${turn % deeds} ${actorOf(turn, { deeds, actors })}`));
  expect(met.size).toBe(deeds * actors);
});

test('no answer is excused while Signalbox itself is stopped, and at no other time', () => {
  const silent = [{ fromMs: 50, toMs: 150 }];
  expect(misdone(deed({ told: 'no-answer' }), { silent })).toEqual([]);
  expect(misdone(deed({ told: 'no-answer', atMs: 160, answeredMs: 200 }), { silent })).toHaveLength(1);
});

test('an unwanted write is seen, whether the line names its subject or the body', () => {
  const asked = new Set(['chaos/limit', 'a-session']);
  const line = 'PUT /v1/kv/chaos%2Flimit%2F.lock?cas=1';
  expect(
    unasked(
      [txn(), { ...destroyed, line: 'PUT /v1/session/destroy/a-session' }, txn({ line, text: '' })],
      asked,
    ),
  ).toEqual([]);
  const pruned = txn({ text: '[{"KV":{"Verb":"cas","Key":"chaos/pool/.lock"}}]' });
  expect(unasked([pruned, { ...destroyed, line: 'PUT /v1/session/destroy/another' }], asked)).toHaveLength(2);
  // A transaction that reads writes nothing, regardless of its sender.
  expect(unasked([txn({ text: '[{"KV":{"Verb":"get","Key":"/"}}]' })], asked)).toEqual([]);
});

test('a write that takes a holder off the record is seen, unless it was evicted or had left on its own', () => {
  const value = Buffer.from('{"Limit":2,"Holders":{"b":true}}').toString('base64');
  const call = txn({
    text: `[{"KV":{"Verb":"cas","Key":"chaos/pool/.lock","Value":"${value}","Flags":1,"Index":7}}]`,
  });
  const looked = (contenders: string[], evicted: string[], modifyIndex = '7') =>
    takenOff(call, {
      key: 'chaos/pool/.lock',
      states: [{ modifyIndex, holders: ['a', 'b'], contenders: new Set(contenders) }],
      evicted: new Set(evicted),
    });
  expect(looked(['a', 'b'], [])).toEqual(['a']);
  expect(looked(['a', 'b'], ['a'])).toEqual([]);
  expect(looked(['b'], [])).toEqual([]);
  expect(looked(['a', 'b'], [], '8')).toEqual([]);
});

test('after Consul was put back a write is compared with what was there since', () => {
  const states: Recorded[] = [];
  const see = (modifyIndex: string, id: string) =>
    note(states, [
      pool(`{"Limit":2,"Holders":{"${id}":true}}`, { modifyIndex }),
      entry(`chaos/pool/${id}`, '', { session: id }),
    ]);
  see('9', 'before');
  see('10', 'before too');
  see('7', 'since');
  see('9', 'since too');
  const value = Buffer.from('{"Limit":2,"Holders":{}}').toString('base64');
  const write = (index: number) =>
    takenOff(
      txn({
        text: `[{"KV":{"Verb":"cas","Key":"chaos/pool/.lock","Value":"${value}","Flags":1,"Index":${index}}}]`,
      }),
      { key: 'chaos/pool/.lock', states, evicted: new Set() },
    );
  expect([write(7), write(9), write(10)]).toEqual([['since'], ['since too'], []]);
});

test('an effect that is not there is excused where a restored snapshot took it back, and nothing else is', () => {
  const gone = deed({ seen: false });
  const undone = [{ fromMs: 50, toMs: 150 }];
  expect(misdone(gone, { undone })).toEqual([]);
  expect(misdone({ ...gone, answeredMs: 160 }, { undone })).toEqual([]);
  for (const [atMs, answeredMs] of [
    [0, 49],
    [151, 160],
  ] as const)
    expect(misdone({ ...gone, atMs, answeredMs }, { undone })).toHaveLength(1);
  expect(misdone(deed({ told: 'stale' }), { undone })).toHaveLength(1);
  const ended = deed({
    told: 'stale',
    calls: [],
    action: { type: 'session.destroy', source: 'consul', sessionId: 'a' },
  });
  expect(misdone(ended, { undone })).toEqual([]);
  const removed = deed({
    told: 'unavailable',
    calls: [],
    action: { type: 'semaphore.delete', source: 'consul', prefix: 'chaos/idle' },
  });
  expect(misdone(removed, { undone })).toEqual([]);
  expect(misdone({ ...removed, atMs: 151, answeredMs: 160 }, { undone })).toHaveLength(1);
  expect(misdone({ ...ended, calls: [destroyed] }, { undone })).not.toEqual([]);
  expect(misdone({ ...ended, atMs: 151, answeredMs: 160 }, { undone })).toHaveLength(1);
  expect(misdone(deed({ calls: [txn(lost), txn(lost)] }), { undone })).toHaveLength(1);
});

test('a client that asked between a snapshot and its restore may lose a slot for a while after it, and no other may', () => {
  const undone = [{ fromMs: 50_000, toMs: 60_000 }];
  const lost = (askedMs: number, atMs: number) => mayBeTaken({ askedMs, atMs }, undone);
  expect(lost(49_000, 61_000)).toBe(true);
  expect(lost(59_999, 119_000)).toBe(true);
  expect(lost(60_001, 62_000)).toBe(false);
  expect(lost(40_000, 61_000)).toBe(false);
  expect(lost(55_000, 121_000)).toBe(false);
  expect(mayBeTaken({ askedMs: 55_000, atMs: 61_000 }, [])).toBe(false);
});

test('flags and indexes of 64 bits are compared to the last digit', () => {
  const lines = (flags: string) =>
    linesOfTruth({ entries: [{ ...sound, flags }], sessions: [], failing: new Set() });
  expect(lines(semaphoreFlags)).not.toEqual(lines('16210313421097356769'));
});

test('a screen that shows another holder than Consul differs, and the same one does not', () => {
  const truth = linesOfTruth({
    entries: [entry('k', 'v', { session: 'a', flags: '0' })],
    sessions: ['a'],
    failing: new Set(),
  });
  const screen = (sessionId: string) =>
    linesOfScreen({
      sessions: [{ id: 'a' }],
      semaphores: [],
      locks: [
        {
          key: 'k',
          exists: true,
          holder: { sessionId, verdict: 'alive', evidence: [] },
          flags: '0',
          modifyIndex: '7',
          value: { content: 'v' },
        },
      ],
    } as unknown as Parameters<typeof linesOfScreen>[0]);
  expect(screen('a')).toEqual(truth);
  expect(screen('b')).not.toEqual(truth);
});

test('the coordination entry is read as strictly as Go reads it', () => {
  expect(coordinationOf('{"Limit":2,"Holders":null}')).toEqual({ limit: 2, holders: [] });
  expect(coordinationOf('{"Limit":"2","Holders":{}}')).toBeNull();
});

/** A lock `k` and a semaphore `chaos/pool`, both held by `a`. */
const heldBy = (failing: readonly string[], ...contenders: readonly string[]) =>
  linesOfTruth({
    entries: [
      entry('k', 'v', { session: 'a', flags: lockFlags }),
      pool('{"Limit":2,"Holders":{"a":true}}'),
      ...contenders.map((session) => entry(`chaos/pool/${session}`, '', { session })),
    ],
    sessions: ['a'],
    failing: new Set(failing),
  }).filter((line) => line.startsWith('holder '));
const shown = (verdict: Verdict, ...codes: readonly EvidenceCode[]) => {
  const holder = { sessionId: 'a', verdict, evidence: codes.map((code) => ({ code })) };
  return {
    locks: [{ key: 'k', exists: true, holder }],
    semaphores: [{ prefix: 'chaos/pool', flags: semaphoreFlags, holders: [holder] }],
  } as unknown as Pick<Snapshot, 'locks' | 'semaphores'>;
};

test.each<[string, readonly string[], ReturnType<typeof shown>, boolean]>([
  ['a holder that is well as alive', [], shown('alive', 'node-passing'), true],
  ['one that is well, and silent, as overdue', [], shown('overdue', 'node-passing'), true],
  ['one whose node is critical as suspect', ['a'], shown('suspect', 'node-critical'), true],
  ['the same, and silent, as overdue', ['a'], shown('overdue', 'node-critical'), true],
  ['one whose node is critical as alive', ['a'], shown('alive', 'node-passing'), false],
  ['one whose node is critical as never ending', ['a'], shown('immortal', 'node-passing'), false],
  ['one whose node is critical as not known', ['a'], shown('alive', 'node-unknown'), false],
  ['one that is well as suspect', [], shown('suspect', 'node-critical'), false],
  ['one that is well as a ghost', [], shown('ghost'), false],
])('a screen that shows %s: equal to Consul or not', (_, failing, screen, equal) => {
  const [truth, said] = [heldBy(failing, 'a'), holdersOfScreen(screen).sort()];
  expect(truth).toHaveLength(2);
  if (equal) expect(said).toEqual(truth);
  else for (const line of said) expect(truth).not.toContain(line);
});

test('a recorded holder that locks nothing under the prefix is a ghost, at any state of its session', () => {
  expect(heldBy([])).toEqual(['holder chaos/pool/.lock a ghost', 'holder k a well']);
  expect(heldBy(['a'], 'b')).toEqual(['holder chaos/pool/.lock a ghost', 'holder k a suspect']);
});

test('to say of a holder that its node is not known is no claim that it is well', () => {
  expect([...calledWell(shown('alive', 'node-passing'))]).toEqual(['a']);
  expect([...calledWell(shown('node-bound', 'node-passing'))]).toEqual(['a']);
  for (const said of [shown('alive', 'node-unknown'), shown('unknown'), shown('suspect'), shown('ghost')])
    expect([...calledWell(said)]).toEqual([]);
});
