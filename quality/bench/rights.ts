/** The load on Consul from repeated questions about rights, and the wait after a policy change. */
import { readdirSync, readFileSync } from 'node:fs';
import { pause } from '@/lib/providers/consul/client/clock';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type Bench, type BenchStage, goalOf, ms, plainFigure } from './figure';
import { type StreamServer, startOurs } from './stream-server';
import { cpuMsOf } from './weighed';

const keys = 10_000;
const policies = 10;
const windowMs = 15_000;
const rounds = 2;

/** The agent's process, whose command contains its folder. */
function processOf({ dir }: TestConsul): number {
  const found = readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir);
      } catch {
        // The process has ended meanwhile.
        return false;
      }
    });
  if (found === undefined) throw new Error('Consul is not there.');
  return found;
}

const snapshotOf = async ({ port }: StreamServer, cookie: string) =>
  (await (await fetch(`http://127.0.0.1:${port}/api/v1/snapshot`, { headers: { cookie } })).json()) as {
    source: { state: string };
    locks: readonly unknown[];
  };

async function run(stage: BenchStage) {
  const consul = await startConsul({ acl: true });
  stage.defer(() => consul.stop());
  const server = await startOurs(stage, {
    consul,
    name: 'rights',
    people: policies,
    count: 0,
    locks: keys,
    policies,
  });
  const pid = processOf(consul);
  /** The share of one core, while nothing changes. */
  const share = async () => {
    const [beforeMs, at] = [cpuMsOf(pid), performance.now()];
    await pause(windowMs);
    return (cpuMsOf(pid) - beforeMs) / (performance.now() - at);
  };
  // Signed-in people are no longer checked by then, and only the server reads.
  await pause(75_000);
  const alone: number[] = [];
  for (let n = 0; n < rounds; n += 1) alone.push(await share());
  const first: number[] = [];
  for (const cookie of server.cookies) {
    const at = performance.now();
    await until(
      async () => {
        const { source, locks } = await snapshotOf(server, cookie);
        return source.state === 'live' && locks.length === keys;
      },
      { what: 'all rows', timeoutMs: 30_000 },
    );
    first.push(performance.now() - at);
  }
  await pause(5_000);
  const all: number[] = [];
  for (let n = 0; n < rounds; n += 1) all.push(await share());
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const show = (value: number) => `${(100 * value).toFixed(1)} % of a core`;
  const most = Math.max(...first);
  stage.say(`first pages: ${first.map(ms).join(', ')}; Consul ${show(mean(alone))}, then ${show(mean(all))}`);
  return {
    compared: 'the server alone',
    figures: [
      {
        ...plainFigure(`Consul's time while ${policies} policies are looked with and nothing changes`, {
          ours: mean(all),
          compared: mean(alone),
          show,
        }),
        goal: goalOf(mean(all) - mean(alone), '<=', 0.05, { show, text: '<= 5 % of a core more' }),
      },
      {
        ...plainFigure('first snapshot of a policy that nobody had, the slowest', {
          ours: most,
          compared: Math.min(...first),
          show: ms,
        }),
        goal: goalOf(most, '<=', 1_000, { show: ms, text: '<= 1 s' }),
      },
    ],
    notes: ['Beside the first snapshot stands the fastest of them.'],
  };
}

export const bench: Bench = {
  title: 'Rights: ten policies over ten thousand keys',
  about: `Consul has ACLs on, default deny, and ${keys.toLocaleString('en')} keys of free locks. ${policies} people with tokens of as many policies, each of which may read everything, look one after the other; the first snapshot of each, all rows in it, is waited for. Consul's time is that of its process on the processors, over ${windowMs / 1000} s, ${rounds} times, before anybody looks and while all do.`,
  excluded: 'The keys are written before. Signing in is not counted.',
  run,
};
