/** Rights that are revoked while people watch: how long the stream still shows entries that Consul already refuses. */

import type { Patch } from '@/lib/domain/world/change';
import { pause } from '@/lib/providers/consul/client/clock';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { openEvents, type StreamEvent } from './events';
import { type Bench, type BenchStage, goalOf, ms, plainFigure, quantile } from './figure';
import { send, startOurs, viewerRules } from './stream-server';

/** Each person has their own policy, and all policies change at the same time. */
const people = 20;
const changesEach = 10;
const locks = 400;
const writesPerSecond = 100;
/** The interval of writes to the lock, from before its right is revoked until well after. */
const targetEveryMs = 100;
const goneMaxMs = 5_000;
const listenMs = 9_000;
const askEveryMs = 10;

interface Change {
  /** From sending the policy to Consul's first refusal of the key. */
  readonly refusedMs: number;
  /** From that refusal to the last event with the lock; 0: none came. */
  readonly lastMs: number;
  /** From that refusal to the event that removes the lock. */
  readonly goneMs: number;
  /** Events with the lock later than `goneMaxMs`. */
  readonly late: number;
}

/** The claim of an event about a key: present, gone, or none. */
function saysOf({ event, data }: StreamEvent, key: string): 'there' | 'gone' | null {
  const quoted = JSON.stringify(key);
  if (event === 'snapshot') return data.includes(quoted) ? 'there' : 'gone';
  if (event !== 'patch' || !data.includes(quoted)) return null;
  const { remove, ...rest } = JSON.parse(data) as Patch;
  if (JSON.stringify(rest).includes(quoted)) return 'there';
  return remove.locks?.includes(key) === true ? 'gone' : null;
}

async function run(stage: BenchStage) {
  const consul = await startConsul({ acl: true });
  stage.defer(() => consul.stop());
  const name = 'revoked';
  const shape = { consul, name, people, policies: people, count: 0, locks };
  const server = await startOurs(stage, shape);
  const asRoot = { 'x-consul-token': consul.token ?? '' };
  const url = (path: string) => `http://${consul.address}/v1/${path}`;
  const put = (path: string, body: string) => send('PUT', url(path), body, asRoot);
  const write = (lock: number, value: string) => put(`kv/${name}/lock-${lock}?flags=${lockFlags}`, value);
  const changes: Change[] = [];

  let loading = true;
  const load = (async () => {
    for (let n = 0; loading; n += 1) {
      void write(Math.floor(Math.random() * locks), `load ${n}`).catch(() => {});
      await pause(1_000 / writesPerSecond);
    }
  })();

  const person = async (n: number) => {
    const heard = new Set<(event: StreamEvent) => void>();
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const onEvent = (event: StreamEvent) => {
      for (const listener of heard) listener(event);
    };
    const events = await openEvents(baseUrl, onEvent, '', server.cookies[n]);
    stage.defer(events.close);
    const policy = await fetch(url(`acl/policy/name/${name}-${n}`), { headers: asRoot });
    const { ID } = (await policy.json()) as { ID: string };
    const rules = (Rules: string) => put(`acl/policy/${ID}`, JSON.stringify({ Name: `${name}-${n}`, Rules }));
    const answers = async (lock: number) => {
      const asked = url(`kv/${name}/lock-${lock}?raw`);
      const answer = await fetch(asked, { headers: { 'x-consul-token': server.tokens[n] ?? '' } });
      await answer.arrayBuffer();
      return answer.status;
    };
    for (let round = 0; round < changesEach; round += 1) {
      const lock = round * people + n;
      const key = `${name}/lock-${lock}`;
      await pause(Math.random() * 2_000);
      let writing = true;
      const writes = (async () => {
        for (let i = 0; writing; i += 1) {
          await write(lock, `${round} ${i}`);
          await pause(targetEveryMs);
        }
      })();
      const said: { readonly what: 'there' | 'gone'; readonly atMs: number }[] = [];
      const listener = (event: StreamEvent) => {
        const what = saysOf(event, key);
        if (what !== null) said.push({ what, atMs: event.atMs });
      };
      heard.add(listener);
      await until(() => said.some(({ what }) => what === 'there'), { what: `${key} to be seen` });
      const beganMs = performance.now();
      await rules(`${viewerRules} key "${key}" { policy = "deny" }`);
      while ((await answers(lock)) !== 403) await pause(askEveryMs);
      const refusedAtMs = performance.now();
      const after = () => said.filter(({ atMs }) => atMs > refusedAtMs);
      await pause(listenMs);
      await until(() => said.at(-1)?.what === 'gone', { what: `${key} to be gone`, timeoutMs: 60_000 });
      writing = false;
      await writes;
      heard.delete(listener);
      const there = after().filter(({ what }) => what === 'there');
      changes.push({
        refusedMs: refusedAtMs - beganMs,
        lastMs: Math.max(0, ...there.map(({ atMs }) => atMs - refusedAtMs)),
        goneMs: Math.max(0, (said.findLast(({ what }) => what === 'gone')?.atMs ?? 0) - refusedAtMs),
        late: there.filter(({ atMs }) => atMs - refusedAtMs > goneMaxMs).length,
      });
      await rules(viewerRules);
    }
  };
  await Promise.all(Array.from({ length: people }, (_, n) => person(n)));
  loading = false;
  await load;

  const of = (what: keyof Change, q: number) =>
    quantile(
      changes.map((one) => one[what]),
      q,
    );
  const late = changes.reduce((sum, one) => sum + one.late, 0);
  const beside = (what: keyof Change, q: number) => ({
    ours: of(what, q),
    compared: of('refusedMs', q),
    show: ms,
  });
  stage.say(
    `${changes.length} changes: gone after ${[0.5, 0.95, 1].map((q) => ms(of('goneMs', q))).join(', ')}`,
  );
  return {
    compared: 'the policy, to the first refusal of Consul',
    figures: [
      {
        ...plainFigure(
          `the last event with the lock, after the refusal: the latest of ${changes.length}`,
          beside('lastMs', 1),
        ),
        goal: goalOf(of('lastMs', 1), '<=', goneMaxMs, { show: ms, text: `<= ${goneMaxMs / 1_000} s` }),
      },
      plainFigure('the same, p95', beside('lastMs', 0.95)),
      plainFigure('the same, median', beside('lastMs', 0.5)),
      {
        ...plainFigure('events with the lock later than that', {
          ours: late,
          compared: null,
          show: (value) => (value === 0 ? 'none' : String(value)),
        }),
        goal: goalOf(late, '<=', 0, { show: String, text: 'none' }),
      },
      plainFigure('the event that takes it away, after the refusal: the latest', beside('goneMs', 1)),
      plainFigure('the same, p95', beside('goneMs', 0.95)),
      plainFigure('the same, median', beside('goneMs', 0.5)),
    ],
  };
}

export const bench: Bench = {
  title: 'Revoked: two hundred rights taken away under load',
  about: `Consul has ACLs on, default deny. ${people} people, each with a token and a policy of their own, follow the stream of ${locks} locks, of which ${writesPerSecond} a second are written. ${changesEach} times each, all at once and at random times: one lock is written every ${targetEveryMs} ms; the person's policy gets a rule that denies this lock; the key is asked for with the person's token until Consul refuses it, which is the refusal; for ${listenMs / 1_000} s more, and until the lock is gone, each event is looked through for its key. Then the right is given back.`,
  excluded: 'Signing in, and the first snapshots. A change begins when an event has told of the lock.',
  run,
};
