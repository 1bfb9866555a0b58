import fc from 'fast-check';
import { expect, test } from 'vitest';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import {
  createSessionReader,
  type KvRow,
  readJson,
  readRows,
  rowSchema,
  sessionSchema,
  txnBody,
  writeJson,
} from './wire';

const uint64 = fc
  .oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 10n ** 17n }))
  .map(String);

test('flags of any size survive reading, indented or not', () => {
  fc.assert(
    fc.property(uint64, fc.constantFrom('', ' ', '\n    '), (flags, space) => {
      const row = `{"Flags":${space}${flags},"Key":"a","CreateIndex":1,"ModifyIndex":1,"LockIndex":0}`;
      expect(readRows(readJson(Buffer.from(`[${row}]`)))).toMatchObject([{ flags }]);
    }),
  );
});

test('flags of any size survive writing, as a bare integer', () => {
  fc.assert(
    fc.property(uint64, (flags) => {
      const op = { verb: 'set', key: 'a', value: Buffer.from('v'), flags } as const;
      expect(writeJson(txnBody([op])).toString()).toContain(`"Flags":${flags}}`);
    }),
  );
});

test('no key can smuggle flags into a transaction', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('","Flags":"7', '\\","Flags":"7', '"Flags":"7"')),
      (key) => {
        const body = writeJson(txnBody([{ verb: 'get', key }])).toString();
        expect(JSON.parse(body)).toEqual([{ KV: { Verb: 'get', Key: key } }]);
      },
    ),
  );
});

test('no key can change how an answer is read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('"Flags":7', '\\"Flags": 7')), (key) => {
      expect(readJson(Buffer.from(JSON.stringify({ Key: key, Flags: 7 })))).toEqual({ Key: key, Flags: 7 });
    }),
  );
});

test('a row keeps its bytes, and an absent value is an empty one', () => {
  const raw = { Key: 'a', Flags: semaphoreFlags, CreateIndex: 1, ModifyIndex: 2, LockIndex: 0 };
  const bytes = Buffer.from([0, 255, 128, 10]);
  expect(rowSchema.parse({ ...raw, Value: bytes.toString('base64') }).value).toEqual(bytes);
  expect(rowSchema.parse({ ...raw, Value: null }).value).toEqual(Buffer.alloc(0));
  expect(rowSchema.parse({ ...raw, Value: null, Session: '' }).session).toBeNull();
});

test('a row is the one known before only when nothing of it has changed, and every list reads as it would alone', () => {
  const raw = fc.record({
    Key: fc.constantFrom('a', 'a/b', 'b', 'é', '\u{1f512}', '\uffee'),
    Value: fc.constantFrom(null, '', 'eA==', 'eQ=='),
    Flags: fc.constantFrom(0, 7, semaphoreFlags),
    Session: fc.constantFrom(undefined, '', 's1', 's2'),
    CreateIndex: fc.constantFrom(1, 2),
    ModifyIndex: fc.constantFrom(3, 4),
    LockIndex: fc.constantFrom(0, 1),
  });
  const order = (a: KvRow, b: KvRow) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  fc.assert(
    fc.property(fc.array(raw), fc.array(raw), (before, after) => {
      const known = readRows(before).sort(order);
      const rows = readRows(after, known);
      expect(rows).toEqual(readRows(after));
    }),
  );
  const [was] = readRows([
    { Key: 'a', Value: 'eA==', Flags: 0, CreateIndex: 1, ModifyIndex: 2, LockIndex: 0 },
  ]);
  if (was === undefined) throw new Error('There is a row.');
  const again = { Key: 'a', Value: 'eA==', Flags: 0, CreateIndex: 1, ModifyIndex: 2, LockIndex: 0 };
  expect(readRows([again], [was])[0]).toBe(was);
  expect(readRows([{ ...again, Value: 'eQ==' }], [was])[0]).not.toBe(was);
});

test('a row whose flags were rounded to a number is refused, not passed on', () => {
  const raw = { Key: 'a', Value: null, CreateIndex: 1, ModifyIndex: 2, LockIndex: 0 };
  expect(rowSchema.safeParse({ ...raw, Flags: Number(semaphoreFlags) }).success).toBe(false);
});

test.each([
  ['1.7 and later', { NodeChecks: ['serfHealth'], ServiceChecks: null }, ['serfHealth']],
  ['services', { NodeChecks: [], ServiceChecks: [{ ID: 'web', Namespace: '' }] }, ['web']],
  ['none', { NodeChecks: null, ServiceChecks: null }, []],
  ['before 1.7', { Checks: ['serfHealth'] }, ['serfHealth']],
  // python-consul and the Java clients send both lists on 1.7 and later: Consul ends the session by either.
  [
    'a client that asked the old way',
    { NodeChecks: ['serfHealth'], Checks: ['serfHealth', 'job'], ServiceChecks: null },
    ['serfHealth', 'job'],
  ],
])('the checks of a session are read in the shape of %s', (_about, checks, ids) => {
  const session = { ID: 's', Node: 'n', LockDelay: 15e9, Behavior: 'release', TTL: '', CreateIndex: 1 };
  expect(sessionSchema.parse({ ...session, ...checks }).checkIds).toEqual(ids);
});

test('a TTL of nothing is none, and a lock-delay is what Consul applies: 60 s at the most', () => {
  const session = { ID: 's', Node: 'n', Behavior: 'delete', CreateIndex: 1 };
  expect(sessionSchema.parse({ ...session, TTL: '0s', LockDelay: 120e9 })).toMatchObject({
    ttlMs: null,
    lockDelayMs: 60_000,
    behavior: 'delete',
    name: '',
  });
  expect(sessionSchema.parse({ ...session, TTL: '15.0s', LockDelay: 1e6 })).toMatchObject({
    ttlMs: 15_000,
    lockDelayMs: 1,
  });
});

test('a list of sessions reads the same after any earlier list', () => {
  const raw = fc.record({
    ID: fc.constantFrom('s1', 's2', 's3'),
    Node: fc.constantFrom('n1', 'n2'),
    Name: fc.constantFrom('', 'worker'),
    TTL: fc.constantFrom('', '15s'),
    CreateIndex: fc.nat({ max: 3 }),
  });
  // One id, index and node identify a session, which never changes.
  const fixed = (list: { ID: string; Node: string; CreateIndex: number }[]) =>
    list.map((one) => ({ ...one, Name: `${one.Node}-${one.CreateIndex}`, TTL: `${one.CreateIndex + 10}s` }));
  fc.assert(
    fc.property(fc.array(fc.array(raw)), (lists) => {
      const read = createSessionReader();
      for (const list of lists) expect(read(fixed(list))).toEqual(createSessionReader()(fixed(list)));
    }),
  );
  const read = createSessionReader();
  const [was] = read([{ ID: 's', Node: 'n', CreateIndex: 7 }]);
  expect(read([{ ID: 's', Node: 'n', CreateIndex: 7 }])[0]).toBe(was);
  expect(read([{ ID: 's', Node: 'n', CreateIndex: 8 }])[0]).not.toBe(was);
  expect(() => read([{ ID: 's' }])).toThrow();
  expect(() => read({})).toThrow();
});
