/** From a command to the first event. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { pause } from '@/lib/providers/consul/client/clock';
import { withoutConsul } from '@/scripts/agent.mjs';
import { nextEnv } from '@/scripts/build.mjs';
import { leash, signalGroup } from '@/scripts/leash.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { inProject, root } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { openEvents } from './events';
import { type Bench, type BenchStage, type Figure, goalOf, ms, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';
import { within } from './within';

const rounds = 5;
const giveUpMs = 60_000;

/** Retries every 10 ms, because the start itself is measured. */
async function first<T>(child: ChildProcess, attempt: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + giveUpMs;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (child.exitCode !== null) throw new Error('The server ended before it answered.', { cause });
      if (performance.now() > untilMs) throw new Error('The server did not answer in time.', { cause });
    }
    await pause(10);
  }
}

interface Started {
  /** Time to the first answer of any status. */
  readonly answerMs: number;
  /** Time to the first snapshot with a live source. */
  readonly liveMs: number;
}

/** Starts `args` in node, measures, and ends the process with all its children. */
async function start(
  args: readonly string[],
  { env, port }: { env: NodeJS.ProcessEnv; port: number },
): Promise<Started> {
  const beganMs = performance.now();
  const child = leash(spawn(process.execPath, args, { cwd: root, env, detached: true, stdio: 'ignore' }));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const plain = plainHttp(`127.0.0.1:${port}`);
  try {
    await first(child, () => plain.request('GET', '/healthz'));
    const answerMs = performance.now() - beganMs;
    let live: (atMs: number) => void = () => {};
    const liveAt = new Promise<number>((resolve) => {
      live = resolve;
    });
    const events = await first(child, () =>
      openEvents(`http://127.0.0.1:${port}`, ({ event, data, atMs }) => {
        const { source } = event === 'ping' ? {} : (JSON.parse(data) as Partial<Snapshot>);
        if (source?.state === 'live') live(atMs);
      }),
    );
    const liveMs = (await within('a live snapshot', liveAt)) - beganMs;
    events.close();
    return { answerMs, liveMs };
  } finally {
    plain.close();
    signalGroup(child.pid, 'SIGINT');
    await exited;
  }
}

const laterMs = 2_000;

function figure(what: string, ours: readonly number[], compared: readonly number[]): Figure {
  const [mine, other] = [quantile(ours, 0.5), quantile(compared, 0.5)];
  return {
    ...plainFigure(what, { ours: mine, compared: other, show: ms }),
    goal: goalOf(mine - other, '<=', laterMs, { show: ms, text: `+ <= ${laterMs / 1_000} s` }),
  };
}

async function measure({ defer, say }: BenchStage) {
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  defer(plain.close);
  await furnish(plain, { prefix: 'start/', locks: 604, semaphores: 66 });
  const block = await claimPorts(1);
  const [port = 0] = block.ports;
  const state = mkdtempSync(join(tmpdir(), 'signalbox-state-'));
  defer(() => rmSync(state, { recursive: true, force: true }));
  const clean = nextEnv({
    ...withoutConsul(process.env),
    HOST: '127.0.0.1',
    HOSTNAME: '127.0.0.1',
    PORT: String(port),
    SIGNALBOX_HOST: '127.0.0.1',
    SIGNALBOX_STATE: state,
    SIGNALBOX_DATA: join(state, 'data'),
  });
  const given = { ...clean, CONSUL_HTTP_ADDR: consul.address };
  const script = [inProject('scripts/start.mjs'), '--no-demo'];
  const embedding = { ...clean, CONSUL_BIN: consul.binary };
  const bare = [inProject('server.js')];
  const times = { bare: [] as number[], given: [] as number[], embedded: [] as number[] };
  // One uncounted start, which reads files for the first time and makes the embedded agent's data.
  await start(bare, { env: given, port });
  await start(script, { env: embedding, port });
  for (let round = 0; round < rounds; round += 1) {
    times.bare.push((await start(bare, { env: given, port })).answerMs);
    times.given.push((await start(script, { env: given, port })).liveMs);
    times.embedded.push((await start(script, { env: embedding, port })).liveMs);
    say(
      `round ${round + 1} of ${rounds}: ${Object.values(times)
        .map((one) => ms(one.at(-1) ?? 0))
        .join(', ')}`,
    );
  }
  block.release();
  return times;
}

export const bench: Bench = {
  title: 'Start: from the command to the first event',
  about: `Medians of ${rounds} warm starts of one build, in turns. \`npm start -- --no-demo\` (without npm itself) to the first snapshot of \`/api/v1/events\` that is live: in front of an agent with 1,000 entries, and with the embedded Consul on data that it has from before, whose election is in the time. Compared: \`node server.js\` of the same build to its first answer on \`/healthz\`.`,
  excluded:
    'One start of each kind, which reads the files for the first time and makes the data of the embedded Consul.',
  run: async (stage) => {
    const { bare, given, embedded } = await measure(stage);
    return {
      compared: 'node server.js',
      figures: [
        figure('a Consul that is given', given, bare),
        figure('with the embedded Consul', embedded, bare),
      ],
    };
  },
};
