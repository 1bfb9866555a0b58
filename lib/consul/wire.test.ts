import fc from 'fast-check';
import { expect, test } from 'vitest';
import { semaphoreFlags } from './coordination';
import { readJson, rowSchema, sessionSchema, txnBody, writeJson } from './wire';

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);

test('flags of any size survive reading, indented or not', () => {
  fc.assert(
    fc.property(uint64, fc.constantFrom('', ' ', '\n    '), (flags, space) => {
      expect(readJson(Buffer.from(`[{"Flags":${space}${flags},"Key":"a"}]`))).toEqual([
        { Flags: flags, Key: 'a' },
      ]);
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
      expect(readJson(Buffer.from(JSON.stringify({ Key: key, Flags: 7 })))).toEqual({ Key: key, Flags: '7' });
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

test('a row whose flags were rounded to a number is refused, not passed on', () => {
  const raw = { Key: 'a', Value: null, CreateIndex: 1, ModifyIndex: 2, LockIndex: 0 };
  expect(rowSchema.safeParse({ ...raw, Flags: Number(semaphoreFlags) }).success).toBe(false);
});

test.each([
  ['1.7 and later', { NodeChecks: ['serfHealth'], ServiceChecks: null }, ['serfHealth']],
  ['services', { NodeChecks: [], ServiceChecks: [{ ID: 'web', Namespace: '' }] }, ['web']],
  ['none', { NodeChecks: null, ServiceChecks: null }, []],
  ['before 1.7', { Checks: ['serfHealth'] }, ['serfHealth']],
  // What python-consul and the Java clients leave on 1.7 and later: Consul ends the session by either list.
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
