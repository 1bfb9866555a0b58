/** Scenarios made by the programs themselves. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Scenario, Stage } from '@/test/record/scenario';
import { runConsulLock } from '@/test/support/consul';
import { until } from '@/test/support/until';

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

export const programs: readonly Scenario[] = [
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
];
