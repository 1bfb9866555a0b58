/**
 * Checks that the server stays flat while everything around it changes: a short run by default, an hour with
 * `--minutes 60`.
 */
import { pause } from '@/lib/providers/consul/client/clock';
import { createProbe, flatFrom, flatShare, type Measure, type Sample } from '@/quality/chaos/soak';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { writeAs } from './crowd';
import { type Events, openEvents } from './events';
import {
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  goalOf,
  plainFigure,
  quantile,
  times,
} from './figure';
import { furnish, makeSession } from './furnished';
import { plainHttp } from './plain';
import { send, signIn, viewerRules } from './stream-server';

const minutes = Number(process.env.SIGNALBOX_BENCH_MINUTES ?? 3);
const world = { locks: 20_000, semaphores: 100, holders: 50, members: 1_000 };
const prefix = 'hour/';
const writesPerSecond = 100;
/** The interval of a session that is made, takes locks and is destroyed. */
const sessionEveryMs = 500;
const locksOfSession = 5;
/** Open pages. One of them closes and reopens at the interval below. */
const pages = 24;
const pageEveryMs = 1_500;
/** People. Every `rightEveryMs` the policy of one is changed or restored. */
const people = 8;
const rightEveryMs = 5_000;
const lookEveryMs = 5_000;
/** The length of the baseline: ten minutes, or a third of a shorter run. The tenth of the run before it warms up. */
const windowMinutes = Math.min(10, minutes / 3);
const warmMinutes = Math.min(1, minutes / 10);

/** Repeats `act` until the end. Failures belong to the storm. */
function every(ms: number, signal: AbortSignal, act: (n: number) => Promise<unknown>): Promise<void> {
  return (async () => {
    for (let n = 0; !signal.aborted; n += 1) {
      const fromMs = performance.now();
      await act(n).catch(() => {});
      await pause(Math.max(0, ms - (performance.now() - fromMs)));
    }
  })();
}

async function run(stage: BenchStage) {
  const consul = await startConsul({ acl: true });
  stage.defer(() => consul.stop());
  const asRoot = { 'x-consul-token': consul.token ?? '' };
  const plain = plainHttp(consul.address, asRoot);
  stage.defer(plain.close);
  const { locks } = await furnish(plain, { prefix, waiters: 0, ...world });
  const root = async (path: string, body: string) =>
    JSON.parse((await send('PUT', `http://${consul.address}/v1/${path}`, body, asRoot)).text);
  const probe = createProbe();
  stage.defer(probe.close);
  const server = await startServer({
    consulAddress: consul.address,
    env: {
      ...probe.env,
      SIGNALBOX_PREFIXES: prefix,
      CONSUL_HTTP_TOKEN: consul.token ?? '',
      // Nobody here acts, and by default that ends a sign-in after an hour.
      SIGNALBOX_IDLE_MINUTES: '1440',
    },
  });
  stage.defer(server.stop);
  const port = Number(new URL(server.baseUrl).port);
  const policies: string[] = [];
  const cookies: string[] = [];
  for (let n = 0; n < people; n += 1) {
    policies.push((await root('acl/policy', JSON.stringify({ Name: `p-${n}`, Rules: viewerRules }))).ID);
    const token = await root('acl/token', JSON.stringify({ Policies: [{ Name: `p-${n}` }] }));
    cookies.push(await signIn(port, token.SecretID, n));
  }
  const open: (Events | null)[] = [];
  let heard = 0;
  const openPage = async (at: number) => {
    open[at]?.close();
    open[at] = null;
    const hear = () => {
      heard += 1;
    };
    open[at] = await openEvents(server.baseUrl, hear, '', cookies[at % people]);
  };
  for (let at = 0; at < pages; at += 1) await openPage(at);

  const ends = new AbortController();
  const lock = (n: number) => locks[n % locks.length] ?? { key: '', session: '' };
  const storm = [
    every(1_000 / writesPerSecond, ends.signal, (n) => writeAs(plain, lock(n * 7919), `{"n":${n}}`)),
    every(sessionEveryMs, ends.signal, async (n) => {
      const session = await makeSession(plain, `passing-${n}`, n % 2 === 0 ? 'release' : 'delete');
      for (let at = 0; at < locksOfSession; at += 1)
        await writeAs(plain, { key: `${prefix}passing/${at}`, session }, `{"n":${n}}`);
      await plain.json('PUT', `/v1/session/destroy/${session}`);
    }),
    every(pageEveryMs, ends.signal, (n) => openPage(n % pages)),
    every(rightEveryMs, ends.signal, (n) => {
      const at = n % people;
      const less = Math.floor(n / people) % 2 === 0;
      const Rules = `${viewerRules}${less ? ` key_prefix "${prefix}pool" { policy = "deny" }` : ''}`;
      return root(`acl/policy/${policies[at]}`, JSON.stringify({ Name: `p-${at}`, Rules }));
    }),
  ];
  const samples: Sample[] = [];
  const fromMs = performance.now();
  while (performance.now() - fromMs < minutes * 60_000) {
    const sample = await probe.look(server.pid);
    if (sample !== null) samples.push(sample);
    await pause(lookEveryMs);
  }
  ends.abort();
  for (const page of open) page?.close();
  await Promise.all(storm);
  stage.say(`${samples.length} looks in ${minutes} minutes, ${heard} events heard`);

  const since = ({ atMs }: Sample) => (atMs - fromMs) / 60_000;
  const first = samples.filter(
    (one) => since(one) >= warmMinutes && since(one) < warmMinutes + windowMinutes,
  );
  const last = samples.filter((one) => since(one) >= minutes - windowMinutes);
  const isAsserted = minutes >= flatFrom.minutes;
  const flat = (what: string, measure: Measure, show: (value: number) => string): Figure => {
    const middle = (list: readonly Sample[]) =>
      quantile(
        list.map((one) => one[measure]),
        0.5,
      );
    const [ours, compared] = [middle(last), middle(first)];
    const max = 1 + flatShare;
    const goal = isAsserted ? goalOf(ours / compared, '<=', max, { show: times, text: `<= ${max}x` }) : null;
    return { ...plainFigure(what, { ours, compared, show }), goal };
  };
  const shown = `${Number(windowMinutes.toFixed(1))} minutes`;
  return {
    compared: `the first ${shown}`,
    figures: [
      flat(`the process, last ${shown} of ${minutes}`, 'rss', bytes),
      flat('its heap, garbage collected', 'heap', bytes),
      flat('buffers', 'external', bytes),
      flat('sockets', 'sockets', String),
      flat('timers', 'timers', String),
    ],
    notes: isAsserted
      ? []
      : [
          `A run of less than ${flatFrom.minutes} minutes says nothing of an hour: no goal is laid on it. \`npm run bench -- hour --minutes 60\` has the goal of ${100 * flatShare} % more at most.`,
        ],
  };
}

export const bench: Bench = {
  title: 'Hour: memory under a storm',
  about: `Consul has ACLs on, default deny; ${world.locks.toLocaleString('en')} locks and ${world.semaphores} semaphores of ${world.holders} holders. All the while ${writesPerSecond} locks a second are written, a session is made every ${sessionEveryMs} ms, takes ${locksOfSession} locks and is destroyed, one of ${pages} pages of ${people} people is closed and opened every ${pageEveryMs / 1_000} s, and one person's policy is changed every ${rightEveryMs / 1_000} s. The server is looked at every ${lookEveryMs / 1_000} s after its garbage was collected; medians of the beginning and the end.`,
  excluded: `The first tenth, a minute at most.`,
  run,
};
