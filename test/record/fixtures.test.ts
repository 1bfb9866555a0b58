/**
 * Fixtures of the recogniser, from a real Consul. Run plainly, it checks that the server still answers as recorded;
 * with RECORD=1 it rewrites `lib/providers/consul/fixtures` (format them afterwards). A fixture's expected meaning
 * stands in its `expect` and is kept; without one, `RECORD=1 vitest run lib/providers/consul/fixtures.test.ts` proposes
 * it, to be read and corrected by hand. Patroni's fixture is not made here: it was recorded once, with PostgreSQL.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { written } from '@/test/record/layouts';
import { odd } from '@/test/record/odd';
import { programs } from '@/test/record/programs';
import { record, shapeOf, withFixedIds } from '@/test/record/recording';
import type { Stage } from '@/test/record/scenario';
import { startConsul, type TestConsul } from '@/test/support/consul';

let consul: TestConsul;
let client: ConsulClient;

beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
});

const bytes = (value: string | Buffer) => (typeof value === 'string' ? Buffer.from(value) : value);

function stage(): Stage {
  return {
    consul,
    client,
    session: ({ name = '', ttlMs = 15_000, behavior = 'release', lockDelayMs = 15_000, checks } = {}) =>
      client.createSession({
        name,
        ttlMs,
        behavior,
        lockDelayMs,
        ...(checks === undefined ? {} : { checks }),
      }),
    lock: async (key, session, { value = '', flags = '0' } = {}) => {
      expect(await client.acquire({ key, value: bytes(value), flags, session })).toBe(true);
    },
    put: async (key, value, flags = '0') => {
      const outcome = await client.txn([{ verb: 'set', key, value: bytes(value), flags }]);
      expect(outcome.done).toBe(true);
    },
  };
}

const fileOf = (name: string) => `lib/providers/consul/fixtures/${name}.json`;

for (const scenario of [...programs, ...written, ...odd])
  test(`the server says what was recorded: ${scenario.name}`, async ({ skip }) => {
    const before = new Set((await client.sessions()).value.map((session) => session.id));
    const ids = await scenario.make(stage());
    if (ids === null) {
      console.warn(
        `SKIPPED ${scenario.name}: this machine or this Consul cannot make it (${scenario.about})`,
      );
      return skip();
    }
    const recording = withFixedIds(await record(consul.address, scenario.prefixes, before), ids);
    const file = fileOf(scenario.name);
    if (process.env.RECORD === '1') {
      const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).expect : null;
      const { name, about, recorded } = scenario;
      const fixture = { name, about, recorded, consul: consul.version, ...recording, expect: kept };
      writeFileSync(file, `${JSON.stringify(fixture, null, 2)}\n`);
    }
    expect(shapeOf(recording)).toEqual(shapeOf(JSON.parse(readFileSync(file, 'utf8'))));
  });
