/**
 * What is recorded: each scenario leaves entries on a real Consul below prefixes of its own, by the real program
 * where there is one (`real`), else written as that program's source says (`from source`).
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ConsulClient } from '@/lib/consul/client';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/consul/coordination';
import { runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

export interface Stage {
  readonly consul: TestConsul;
  readonly client: ConsulClient;
  session(options?: SessionOptions): Promise<string>;
  /** Locks the key by the session, with these flags and value. */
  lock(key: string, session: string, entry?: { value?: string | Buffer; flags?: string }): Promise<void>;
  /** Writes a plain entry; any key at all, because it goes by a transaction. */
  put(key: string, value: string | Buffer, flags?: string): Promise<void>;
}

export interface SessionOptions {
  readonly name?: string;
  readonly ttlMs?: number | null;
  readonly behavior?: 'release' | 'delete';
  readonly lockDelayMs?: number;
  readonly checks?: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly recorded: 'real' | 'from source';
  readonly prefixes: readonly string[];
  /** Makes it, and names the sessions in the order in which the fixture numbers them. `null`: cannot be made here. */
  make(stage: Stage): Promise<readonly string[] | null>;
}

/** Debian's interpreter first: another one on the PATH does not see Debian's python3-consul. */
const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

/** Entries below a prefix, once the condition holds. */
const rowsWhen = (
  { client }: Stage,
  prefix: string,
  condition: (rows: readonly { key: string; session: string | null }[]) => boolean,
) =>
  until(
    async () => {
      const { value } = await client.list(prefix, { consistency: 'consistent' });
      return condition(value) ? value : null;
    },
    { what: `the entries below ${prefix}` },
  );

const locked = (rows: readonly { key: string; session: string | null }[]) =>
  rows.flatMap((row) => (row.session === null ? [] : [row.session]));

/** Sessions in the order in which they came: first the one whose entry is oldest. */
const byArrival = (rows: readonly { createIndex: string; session: string | null }[]) =>
  locked([...rows].sort((a, b) => Number(a.createIndex) - Number(b.createIndex)) as never);

const javaSession = (name: string): SessionOptions => ({ name, ttlMs: null, behavior: 'release' });
const goSession = (name: string): SessionOptions => ({ name, ttlMs: 15_000, behavior: 'release' });

/** Coordination entries with the right flags that every Go client dies of (`consul.md` 2.8), and our reading. */
const malformed: readonly (readonly [name: string, value: string])[] = [
  ['empty', ''],
  ['not-json', 'nope'],
  ['not-an-object', '[1]'],
  ['limit-text', '{"Limit":"2","Holders":{}}'],
  ['limit-fraction', '{"Limit":2.0,"Holders":{}}'],
  ['limit-zero', '{"Limit":0,"Holders":{}}'],
  ['holders-list', '{"Limit":2,"Holders":["x"]}'],
  ['holders-missing', '{"Limit":2}'],
];

export const scenarios: readonly Scenario[] = [
  {
    name: 'consul-lock-n2',
    about: 'Three `consul lock -n=2`: two hold, one waits. This is Go api.Semaphore.',
    recorded: 'real',
    prefixes: ['rec/jobs'],
    make: async (stage) => {
      let rows: Awaited<ReturnType<typeof rowsWhen>> = [];
      for (const n of [1, 2, 3]) {
        runConsulLock(stage.consul, { n: 2, prefix: 'rec/jobs', command: 'sleep 600' });
        rows = await rowsWhen(stage, 'rec/jobs/', (r) => locked(r).length === n);
      }
      rows = await rowsWhen(stage, 'rec/jobs/', (r) => {
        const lock = (r as typeof rows).find((row) => row.key === 'rec/jobs/.lock');
        return (lock?.value.toString().match(/:true/g) ?? []).length === 2;
      });
      return byArrival(rows);
    },
  },
  {
    name: 'consul-lock-n1',
    about: '`consul lock -n=1`: a lock on `<prefix>/.lock`, no semaphore.',
    recorded: 'real',
    prefixes: ['rec/single'],
    make: async (stage) => {
      runConsulLock(stage.consul, { n: 1, prefix: 'rec/single', command: 'sleep 600' });
      return byArrival(await rowsWhen(stage, 'rec/single/', (rows) => locked(rows).length === 1));
    },
  },
  {
    name: 'ghost-map',
    about:
      'A `consul lock -n=2` was killed and its session destroyed: nobody prunes, so `.lock` still names it.',
    recorded: 'real',
    prefixes: ['rec/ghost'],
    make: async (stage) => {
      const gone = runConsulLock(stage.consul, { n: 2, prefix: 'rec/ghost', command: 'sleep 600' });
      const [ghost = ''] = locked(await rowsWhen(stage, 'rec/ghost/', (rows) => locked(rows).length === 1));
      const before = await rowsWhen(stage, 'rec/ghost/.lock', (rows) =>
        rows.some((row) => String((row as { value?: Buffer }).value).includes(ghost)),
      );
      gone.kill9();
      await gone.exited;
      await stage.client.destroySession(ghost);
      await rowsWhen(stage, 'rec/ghost/', (rows) => rows.length === before.length);
      return [ghost];
    },
  },
  {
    name: 'ghost-list',
    about: 'The Java layout with a holder whose session has ended, and one that lives.',
    recorded: 'from source',
    prefixes: ['semaphore/rec-ghost'],
    make: async (stage) => {
      const alive = await stage.session(javaSession('semaphoresemaphore/rec-ghost'));
      const dead = await stage.session(javaSession('semaphoresemaphore/rec-ghost'));
      for (const id of [alive, dead]) await stage.lock(`semaphore/rec-ghost/${id}`, id);
      await stage.put('semaphore/rec-ghost/.lock', newCoordination('list', 3, [alive, dead]));
      await stage.client.destroySession(dead);
      return [alive, dead];
    },
  },
  {
    name: 'java-semaphore',
    about:
      "The Java article's semaphore, full, with a waiter. Sessions without TTL: they end only with their node.",
    recorded: 'from source',
    prefixes: ['semaphore/rec-java'],
    make: async (stage) => {
      const ids = [];
      for (let i = 0; i < 3; i += 1) {
        const id = await stage.session(javaSession('semaphoresemaphore/rec-java'));
        ids.push(id);
        await stage.lock(`semaphore/rec-java/${id}`, id);
      }
      await stage.put('semaphore/rec-java/.lock', newCoordination('list', 2, ids.slice(0, 2)));
      return ids;
    },
  },
  {
    name: 'java-lock',
    about: "The Java article's lock, one held and one given back: the value says which.",
    recorded: 'from source',
    prefixes: ['lock/rec-'],
    make: async (stage) => {
      const id = await stage.session(javaSession('lock-lock/rec-held'));
      await stage.lock('lock/rec-held', id, { value: 'lock:2026-11-21T05:00:00.123' });
      await stage.lock('lock/rec-free', id, { value: 'lock:2026-11-21T04:00:00.123' });
      await stage.client.release({
        key: 'lock/rec-free',
        value: Buffer.from('unlock:2026-11-21T04:30:00.123'),
        flags: '0',
        session: id,
      });
      return [id];
    },
  },
  {
    name: 'guide-list',
    about: "A follower of HashiCorp's guide: a list with capital names and flags 0; owners in the entries.",
    recorded: 'from source',
    prefixes: ['rec/guide'],
    make: async (stage) => {
      const ids = [];
      for (const owner of ['ada', 'grace']) {
        const id = await stage.session({ name: '', ttlMs: 10_000 });
        ids.push(id);
        await stage.lock(`rec/guide/${id}`, id, { value: JSON.stringify({ Owner: owner }) });
      }
      await stage.put('rec/guide/.lock', JSON.stringify({ Limit: 2, Holders: ids }));
      return ids;
    },
  },
  {
    name: 'go-lock',
    about: 'Go api.Lock: lock flags on any key, the session with its default name; another was held once.',
    recorded: 'from source',
    prefixes: ['rec/go/'],
    make: async (stage) => {
      const id = await stage.session(goSession('Consul API Lock'));
      await stage.lock('rec/go/leader', id, { flags: lockFlags, value: '{"host":"web-7","pid":12}' });
      await stage.lock('rec/go/released', id, { flags: lockFlags });
      await stage.client.release({
        key: 'rec/go/released',
        value: Buffer.alloc(0),
        flags: lockFlags,
        session: id,
      });
      return [id];
    },
  },
  {
    name: 'python-consul',
    about: 'python-consul 0.7.1: `kv.put(…, acquire=…)` with a session of its defaults: no TTL, flags 0.',
    recorded: 'real',
    prefixes: ['rec/python'],
    make: async (stage) => {
      const [host = '', port = ''] = stage.consul.address.split(':');
      const script = `
import consul, sys
c = consul.Consul(host=sys.argv[1], port=int(sys.argv[2]))
sid = c.session.create(name='backup')
assert c.kv.put('rec/python/backup', 'host-a:4711', acquire=sid)
print(sid)
`;
      try {
        const id = execFileSync(python, ['-c', script, host, port], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        }).trim();
        return [id];
      } catch (error) {
        if (!/No module named 'consul'|ENOENT/.test(String(error))) throw error;
        return null;
      }
    },
  },
  {
    name: 'terraform',
    about: 'A Terraform run that holds its state, and lock info left behind by a run that was killed.',
    recorded: 'from source',
    prefixes: ['rec/tf/'],
    make: async (stage) => {
      const id = await stage.session({ ...goSession('Consul API Lock'), lockDelayMs: 5000 });
      const info = (session: string, path: string) =>
        JSON.stringify({
          ID: session,
          Operation: 'OperationTypeApply',
          Info: `consul session: ${session}`,
          Who: 'ada@laptop',
          Version: '1.9.8',
          Created: '2026-11-21T05:00:00.123456789Z',
          Path: path,
        });
      await stage.put('rec/tf/prod', '{"version":4}');
      await stage.lock('rec/tf/prod/.lock', id, { flags: lockFlags });
      await stage.put('rec/tf/prod/.lockinfo', info(id, 'rec/tf/prod'));
      await stage.lock('rec/tf/stage/.lock', id, { flags: lockFlags });
      await stage.client.release({
        key: 'rec/tf/stage/.lock',
        value: Buffer.alloc(0),
        flags: lockFlags,
        session: id,
      });
      await stage.put('rec/tf/stage/.lockinfo', info('0badc0de-0000-4000-8000-000000000000', 'rec/tf/stage'));
      return [id];
    },
  },
  {
    name: 'vault',
    about: "Vault's HA lock; its value is the id of the active node's entry.",
    recorded: 'from source',
    prefixes: ['rec/vault/'],
    make: async (stage) => {
      const id = await stage.session(goSession('Vault Lock'));
      await stage.lock('rec/vault/core/lock', id, {
        flags: lockFlags,
        value: '1f2e3d4c-0000-4000-8000-00000000000f',
      });
      return [id];
    },
  },
  {
    name: 'consul-template',
    about:
      'consul-template de-duplication: binary data, lock-delay 1 ms; the leader writes plainly, so LockIndex 0.',
    recorded: 'from source',
    prefixes: ['rec/consul-template/'],
    make: async (stage) => {
      const id = await stage.session({
        name: 'Consul-Template de-duplication',
        ttlMs: 15_000,
        behavior: 'delete',
        lockDelayMs: 1,
      });
      const key = 'rec/consul-template/dedup/0123456789abcdef0123456789abcdef/data';
      await stage.lock(key, id, { flags: lockFlags });
      await stage.put(key, Buffer.from([0x1f, 0x8b, 0x00, 0xff, 0x01]), lockFlags);
      return [id];
    },
  },
  {
    name: 'malformed',
    about: 'Eight coordination entries with the right flags that clients cannot use.',
    recorded: 'real',
    prefixes: ['rec/bad/'],
    make: async (stage) => {
      for (const [name, value] of malformed) await stage.put(`rec/bad/${name}/.lock`, value, semaphoreFlags);
      return [];
    },
  },
  {
    name: 'odd-entries',
    about:
      'Flags lost by a careless write; a missing coordination entry; nested and neighbouring prefixes; leftovers.',
    recorded: 'real',
    prefixes: ['rec/odd'],
    make: async (stage) => {
      const id = await stage.session(goSession('Consul API Semaphore'));
      const entry = { flags: semaphoreFlags };
      await stage.lock(`rec/odd/flags/${id}`, id, entry);
      await stage.put('rec/odd/flags/.lock', newCoordination('map', 2, [id]));
      await stage.lock(`rec/odd/missing/${id}`, id, entry);
      await stage.lock(`rec/odd/nested/${id}`, id, entry);
      await stage.put('rec/odd/nested/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      await stage.lock(`rec/odd/nested/inner/${id}`, id, entry);
      await stage.put('rec/odd/nested/inner/.lock', newCoordination('map', 1, []), semaphoreFlags);
      // The client library lists `rec/odd/near` as a string prefix, so an entry of its neighbour counts.
      await stage.put('rec/odd/near/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      await stage.lock(`rec/odd/nearby/${id}`, id, entry);
      await stage.put('rec/odd/nearby/.lock', newCoordination('map', 2, [id]), semaphoreFlags);
      const left = await stage.session(goSession('Consul API Semaphore'));
      await stage.lock(`rec/odd/nested/${left}`, left, entry);
      await stage.client.destroySession(left);
      return [id, left];
    },
  },
  {
    name: 'odd-keys',
    about:
      'Keys with empty parts, dots, a tab, a newline (by transaction) and bytes that are no UTF-8. Each is a lock.',
    recorded: 'real',
    prefixes: ['rec/keys', '../rec-keys', '/rec-keys'],
    make: async (stage) => {
      const id = await stage.session({ name: 'odd', ttlMs: null, checks: [] });
      for (const key of [
        'rec/keys//a',
        'rec/keys/../b',
        '../rec-keys',
        '/rec-keys',
        'rec/keys/\t',
        'rec/keys/\n',
      ])
        await stage.client.txn([{ verb: 'lock', key, value: Buffer.alloc(0), flags: '0', session: id }]);
      // Two keys to Consul, one name to whoever lists them.
      for (const byte of ['%fe', '%ff'])
        await fetch(`http://${stage.consul.address}/v1/kv/rec/keys/${byte}?acquire=${id}`, { method: 'PUT' });
      return [id];
    },
  },
];
