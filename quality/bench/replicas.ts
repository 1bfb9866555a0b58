/**
 * Two replicas on one Postgres behind a balancer: the events of thousands of viewers, also while one replica is killed.
 */
import { randomBytes } from 'node:crypto';
import { pause } from '@/lib/providers/consul/client/clock';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { claimPorts } from '@/scripts/ports.mjs';
import { startPostgres } from '@/scripts/postgres.mjs';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { newDatabase } from '@/test/support/database';
import { type Server, startServer } from '@/test/support/server';
import { until } from '@/test/support/until';
import { type Bench, type BenchStage, type Figure, goalOf, ms, plainFigure, quantile } from './figure';
import { startSpread } from './spread';
import { fork, send, signIn, viewerRules } from './stream-server';
import { cpuMsOf } from './weighed';
import { within } from './within';

const viewers = Number(process.env.SIGNALBOX_BENCH_VIEWERS ?? 5_000);
/** Each person may open 60 streams a minute, and uses that twice: at the start, and after the loss of a replica. */
const people = Math.max(2, Math.ceil(viewers / 50));
const locks = 100;
/** Events before the kill, after all viewers moved to the other replica, and with both again. */
const eventsEach = 40;
const everyMs = 500;
/** Addresses of documentation (RFC 5737), which stand in a header and are never connected to. */
const addresses = Array.from(
  { length: 40 },
  (_, i) => `${i % 2 === 0 ? '198.51.100' : '203.0.113'}.${i + 1}`,
);
const backMaxMs = 5_000;

interface Counts {
  readonly doubled: number;
  readonly lost: number;
  readonly refused: number;
  /** Viewers without a stream now. */
  readonly cut: number;
  /** The outage of each viewer that returned since the last question. */
  readonly awayMs: readonly number[];
  readonly lowest: number;
  readonly highest: number;
}

function startViewers(stage: BenchStage) {
  const child = fork(stage, 'replica-viewers.mjs');
  const next = <T>() => new Promise<T>((resolve) => child.once('message', (said) => resolve(said as T)));
  const ask = <T>(message: object): Promise<T> => {
    const answer = next<T>();
    child.send(message);
    return answer;
  };
  return {
    pid: child.pid ?? 0,
    open: (wish: object) => ask<{ ms: number }>({ open: wish }),
    counts: () => ask<Counts>({ ask: true }),
    /** Resolves when every viewer has this mark, from an event or from the snapshot of its return. */
    watch: async (mark: number) => {
      await ask({ watch: mark });
      return next<{ lastNs: string }>();
    },
  };
}

async function startReplicas(stage: BenchStage, consul: TestConsul): Promise<[Server, Server]> {
  const block = await claimPorts(1);
  stage.defer(() => block.release());
  const postgres = await startPostgres({ port: block.ports[0] ?? 0 });
  stage.defer(() => postgres.stop());
  const env = {
    DATABASE_URL: await newDatabase(postgres),
    SIGNALBOX_PREFIXES: 'many/',
    SIGNALBOX_SECRET: randomBytes(32).toString('hex'),
    SIGNALBOX_TRUSTED_PROXY: '127.0.0.1',
    CONSUL_HTTP_TOKEN: consul.token ?? '',
  };
  const start = async () => {
    const server = await startServer({ consulAddress: consul.address, env });
    stage.defer(server.stop);
    return server;
  };
  return [await start(), await start()];
}

const portOf = ({ baseUrl }: Server) => Number(new URL(baseUrl).port);

async function run(stage: BenchStage) {
  const { say } = stage;
  const consul = await startConsul({ acl: true });
  const asRoot = { 'x-consul-token': consul.token ?? '' };
  const root = async (path: string, body: string) =>
    JSON.parse((await send('PUT', `http://${consul.address}/v1/${path}`, body, asRoot)).text);
  const write = (mark: number) =>
    root(`kv/many/lock-7?flags=${lockFlags}`, `mark-${String(mark).padStart(6, '0')}-end`);
  for (let n = 0; n < locks; n += 1) await root(`kv/many/lock-${n}?flags=${lockFlags}`, 'free');
  await root('acl/policy', JSON.stringify({ Name: 'many', Rules: viewerRules }));

  const [one, other] = await startReplicas(stage, consul);
  const cookies: string[] = [];
  for (let n = 0; n < people; n += 1) {
    const token = await root('acl/token', JSON.stringify({ Policies: [{ Name: 'many' }] }));
    cookies.push(await signIn(portOf(n % 2 === 0 ? one : other), token.SecretID, n));
  }
  const spread = await startSpread([portOf(one), portOf(other)]);
  stage.defer(spread.close);
  const crowd = startViewers(stage);
  const opening = crowd.open({ port: spread.port, cookies, addresses, count: viewers });
  const opened = await within('all viewers', opening, 300_000);
  say(`${viewers} viewers in ${ms(opened.ms)}, ${spread.counts.join(' and ')}`);
  await crowd.counts();

  let mark = 0;
  /** Writes one after the other, each received by all. Returns the wait of the last viewer for each. */
  const heard = async (count: number) => {
    const last: number[] = [];
    for (let n = 0; n < count; n += 1) {
      mark += 1;
      const seen = crowd.watch(mark);
      await pause(everyMs);
      const fromNs = process.hrtime.bigint();
      await write(mark);
      const { lastNs } = await within(`event ${mark} at all viewers`, seen, 30_000);
      last.push(Number(BigInt(lastNs) - fromNs) / 1e6);
    }
    return last;
  };
  await heard(5);
  const two = await heard(eventsEach);
  const before = await crowd.counts();
  say(`two replicas: last ${ms(quantile(two, 0.5))}; ${before.lost} lost, ${before.doubled} doubled`);

  // Writes continue while viewers return, because new snapshots contain the missed events.
  let writing = true;
  const writes = (async () => {
    while (writing) {
      mark += 1;
      await write(mark);
      await pause(everyMs);
    }
  })();
  const cpuMs = () => ({
    server: cpuMsOf(one.pid),
    balancer: cpuMsOf(process.pid),
    viewers: cpuMsOf(crowd.pid),
  });
  const cpuFrom = cpuMs();
  const killed = other.kill();
  const killedAtMs = performance.now();
  await killed;
  let away: readonly number[] = [];
  let { cut } = await crowd.counts();
  await until(
    async () => {
      const now = await crowd.counts();
      away = [...away, ...now.awayMs];
      cut = now.cut;
      return cut === 0 && performance.now() - killedAtMs > 1_000;
    },
    { what: 'every viewer to be back', timeoutMs: 120_000 },
  );
  const cpuTo = cpuMs();
  const backAfterMs = performance.now() - killedAtMs;
  writing = false;
  await writes;
  const shareOf = (who: keyof typeof cpuTo) => (cpuTo[who] - cpuFrom[who]) / backAfterMs;
  const share = (value: number) => `${(100 * value).toFixed(0)} % of a core`;
  say(
    `meanwhile the server ${share(shareOf('server'))}, the balancer ${share(shareOf('balancer'))}, the viewers ${share(shareOf('viewers'))}`,
  );
  say(
    `${away.length} viewers came back, the last after ${ms(Math.max(0, ...away))}; ${spread.counts.join(' and ')}`,
  );
  const alone = await heard(eventsEach);
  await other.start();
  const back = await heard(5);
  const after = await crowd.counts();
  say(
    `one replica: last ${ms(quantile(alone, 0.5))}; ${after.lost} lost, ${after.doubled} doubled, ${after.refused} refused`,
  );
  say(`with the other one back: ${ms(quantile(back, 0.5))}`);

  const none = (what: string, count: number): Figure => ({
    ...plainFigure(what, {
      ours: count,
      compared: null,
      show: (value) => (value === 0 ? 'none' : String(value)),
    }),
    goal: goalOf(count, '<=', 0, { show: String, text: 'none' }),
  });
  const shown = viewers.toLocaleString('en');
  const slowest = Math.max(0, ...away);
  return {
    compared: 'one replica with all of them',
    figures: [
      none(`events lost, of ${mark} writes for each of ${shown} viewers`, after.lost),
      none('events doubled', after.doubled),
      none('viewers that know less than all at the end', after.lowest === mark ? 0 : viewers - after.cut),
      none(`viewers of ${away.length} on the killed replica that did not come back`, after.cut),
      {
        ...plainFigure('from the kill to the first event of the last viewer that came back', {
          ours: slowest,
          compared: null,
          show: ms,
        }),
        goal: goalOf(slowest, '<=', backMaxMs, { show: ms, text: `<= ${backMaxMs / 1_000} s` }),
      },
      plainFigure('the same, median', {
        ours: away.length === 0 ? 0 : quantile(away, 0.5),
        compared: null,
        show: ms,
      }),
      plainFigure('processor time meanwhile: the server that they come back to', {
        ours: shareOf('server'),
        compared: null,
        show: share,
      }),
      plainFigure('the same: the balancer and the viewers', {
        ours: shareOf('balancer') + shareOf('viewers'),
        compared: null,
        show: share,
      }),
      plainFigure("write to the last viewer's event, median", {
        ours: quantile(two, 0.5),
        compared: quantile(alone, 0.5),
        show: ms,
      }),
      plainFigure('the same, p95', { ours: quantile(two, 0.95), compared: quantile(alone, 0.95), show: ms }),
      plainFigure(`until all ${shown} streams have begun, 40 at a time`, {
        ours: opened.ms,
        compared: null,
        show: ms,
      }),
    ],
    notes: [
      'A viewer that comes back to another replica begins with a snapshot. What was written meanwhile is in it and does not count as lost. An event that begins before the version of that snapshot counts as doubled. Two writes may be one event.',
      `The two replicas, the balancer, the viewers, Consul and Postgres share the machine's cores.`,
    ],
  };
}

export const bench: Bench = {
  title: 'Replicas: five thousand viewers, and one replica killed',
  about: `Consul has ACLs on, default deny. Two servers of ours on one Postgres stand behind a balancer of this benchmark that passes bytes on, connection by connection in turns. ${viewers.toLocaleString('en')} viewers of ${people} people, each with a token of their own, follow the stream in gzip as pages do: bare sockets in another process, which come back with the id of their last event after the waits of our pages. A lock's value is written with a number, ${eventsEach} times, each heard by all before the next; then one replica is killed (\`SIGKILL\`) while writes go on every ${everyMs} ms; then as many events again. Each viewer checks that an event begins at the version at which the one before it ended, and that a snapshot it begins anew with has no lower number than what it had. Away is from the cut of its connection to the first event of the next. Addresses of viewers are told by the balancer's header, as of a trusted proxy.`,
  excluded: 'Signing in; the first 5 events, and the first 5 with the killed replica back.',
  run,
};
