/**
 * The leak test: random worlds, random policies, and every byte that is sent to a token. Nothing in them is a name that
 * Consul itself would not tell this token; and everything that it would tell is shown.
 *
 * A look is one world and one policy, once both are seen. `SIGNALBOX_LEAK_LOOKS` says how many, `SIGNALBOX_LEAK_SEED`
 * which.
 */
import { afterAll, expect, test } from 'vitest';
import { problemResponse } from '@/lib/server/http/http';
import { listen, serverOn } from '@/test/identity/server';
import { makeToken, rewrite, rule, type Token } from '@/test/identity/tokens';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { differences, leaksIn, type Reading, readAs } from './oracle';
import type { Chance } from './policies';
import type { World } from './shape';
import type { Shown } from './shown';
import { createWorld } from './worlds';

const looks = Number(process.env.SIGNALBOX_LEAK_LOOKS || 250);
const seed = Number(process.env.SIGNALBOX_LEAK_SEED || Date.now() % 1e9);
/**
 * It takes a second at most where the machine is quiet. But rights are asked for in turns, each followed by a rest of thirty
 * times what it cost, and a dozen people wait for theirs here: 100 ms a turn on a busy machine are 36 s.
 */
const seenMaxMs = 120_000;
const people = 12;
const stepsPerWorld = 9;

/** Mulberry32. */
function chanceOf(from: number): Chance {
  let a = from | 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const chance = chanceOf(seed);

const consul = await startConsul({ acl: true, nodeName: 'zqtestnode' });
const server = serverOn(consul, { token: consul.token });
const ends = new AbortController();
afterAll(async () => {
  ends.abort();
  await server.close();
  expect(server.bugs).toEqual([]);
  await consul.stop();
});

interface Person {
  readonly token: Token;
  readonly stream: ReturnType<typeof listen>;
  rules: string;
  /** Where in the stream what is known now begins. */
  from: number;
  known: { words: Set<string>; ids: Set<string> };
}

const headersOf = ({ secret }: Token) => ({ authorization: `Bearer ${secret}` });
const snapshotOf = async (token: Token) => (await server.snapshot(headersOf(token))).text();

/** The present view of a reader of everything. */
function createWhole(management: Token) {
  let last: { readonly atMs: number; readonly shown: Promise<Shown> } | null = null;
  return (): Promise<Shown> => {
    if (last === null || performance.now() - last.atMs > 100)
      last = {
        atMs: performance.now(),
        shown: snapshotOf(management).then((text) => JSON.parse(text) as Shown),
      };
    return last.shown;
  };
}
const management: Token = { secret: consul.token ?? '', accessor: '' };
const whole = createWhole(management);

const fail = (person: Person, what: string, found: readonly string[]): never => {
  throw new Error(
    `seed ${seed}, ${what}:\n${found.slice(0, 12).join('\n')}\nby these rules:\n${person.rules}`,
  );
};

function expectNoLeak(person: Person, world: World, what: string, bytes: string): void {
  const found = leaksIn(bytes, world, person.known);
  if (found.length > 0) fail(person, `${what} tells`, found);
}

/** One world as one person sees it, once it is seen. */
async function look(
  person: Person,
  world: World,
  everything: Reading,
  { timeoutMs = seenMaxMs } = {},
): Promise<void> {
  const { token, stream } = person;
  let reading: Reading | null = null;
  let said: string[] = [];
  const ask = async () => {
    reading = await readAs(consul.address, token.secret, world.ended);
    for (const one of reading.words) person.known.words.add(one);
    for (const one of reading.ids) person.known.ids.add(one);
    return reading;
  };
  await ask();
  await until(
    async () => {
      const text = await snapshotOf(token);
      expectNoLeak(person, world, 'the snapshot', text);
      const shown = JSON.parse(text) as Shown;
      said = differences(
        shown,
        reading as unknown as Reading,
        { reading: everything, shown: await whole() },
        world,
      );
      return said.length === 0;
    },
    // All people ask this process, whose own delay makes a turn at their rights seem costly to it.
    { what: 'what is shown is what there is', timeoutMs, everyMs: 250 },
  ).catch((error: unknown) => fail(person, String(error), said));
  expectNoLeak(person, world, 'the findings', await (await server.findings(headersOf(token))).text());
  // Numbers of the instance that was shown before other rights say nothing of this one.
  const { hub } = (await server.caller(headersOf(token))).viewpoint;
  const { instance } = hub;
  const { version } = hub.snapshot();
  const heard = () => {
    const id = [...stream.text().matchAll(/^id: ([0-9a-f]+)-(\d+)$/gm)].at(-1);
    return id?.[1] === hub.instance && (hub.instance !== instance || Number(id[2]) >= version);
  };
  await until(heard, { what: 'the stream is as far', timeoutMs });
  expectNoLeak(person, world, 'the stream', stream.text().slice(person.from));
}

async function arrive(consulOf: TestConsul, rules: string): Promise<Person> {
  const token = await makeToken(consulOf, rules);
  const stream = listen(await server.events(headersOf(token), ends.signal));
  return { token, stream, rules, from: 0, known: { words: new Set(), ids: new Set() } };
}

/** What there is, once whoever may read everything is shown it. */
async function shownWhole(world: World): Promise<Reading> {
  const everything = await readAs(consul.address, management.secret, world.ended);
  let said: string[] = [];
  await until(
    async () => {
      said = differences(await whole(), everything, { reading: everything, shown: await whole() }, world);
      return said.length === 0;
    },
    { what: 'whoever may read everything is shown it' },
  ).catch((error: unknown) => {
    throw new Error(`seed ${seed}, ${error}:\n${said.slice(0, 12).join('\n')}`);
  });
  return everything;
}

async function lookAll(all: readonly Person[], world: World): Promise<number> {
  const everything = await shownWhole(world);
  await Promise.all(all.map((person) => look(person, world, everything)));
  return all.length;
}

/** Everybody gets other rights, and keeps the stream that they have. */
async function changeRights(all: readonly Person[], world: World): Promise<number> {
  const everything = await readAs(consul.address, management.secret, world.ended);
  await Promise.all(
    all.map(async (person, i) => {
      person.rules = world.policy();
      await (i % 2 === 0
        ? rule(consul, person.token, person.rules)
        : rewrite(consul, person.token, person.rules));
      await look(person, world, everything);
      // From here on earlier knowledge must not show.
      person.from = person.stream.text().length;
      person.known = { words: new Set(), ids: new Set() };
    }),
  );
  return lookAll(all, world);
}

/** Plans about hidden things are refused in the words for absent ones. */
async function planBlindly(person: Person, world: World): Promise<void> {
  const { viewpoint } = await server.caller(headersOf(person.token));
  const reading = await readAs(consul.address, person.token.secret, []);
  const signal = AbortSignal.timeout(30_000);
  const answer = async (action: unknown) => {
    const result = await viewpoint.provider.plan(action as never, signal);
    const text = 'code' in result ? await problemResponse(result).text() : JSON.stringify(result);
    return text;
  };
  const key = [...world.lockKeys].find((one) => !reading.rows.has(one));
  const prefix = [...world.semaphores].find((one) => !reading.rows.has(`${one}/.lock`));
  for (const type of ['lock.delete', 'lock.release'] as const) {
    if (key === undefined) continue;
    const text = await answer({ type, key, how: 'hand-over' });
    expectNoLeak(person, world, `a plan of ${type}`, text.replaceAll(key, '…'));
  }
  for (const type of ['semaphore.prune', 'semaphore.delete', 'semaphore.resize'] as const) {
    if (prefix === undefined) continue;
    const text = await answer({ type, prefix, prefixes: [prefix], limit: 9 });
    expectNoLeak(person, world, `a plan of ${type}`, text.replaceAll(prefix, '…'));
  }
  const seenKey = [...world.lockKeys].find((one) => reading.rows.has(one));
  const seenPrefix = [...world.semaphores].find((one) => reading.rows.has(`${one}/.lock`));
  if (seenKey !== undefined)
    expectNoLeak(
      person,
      world,
      'a plan',
      await answer({ type: 'lock.release', source: 'consul', key: seenKey, how: 'destroy-session' }),
    );
  if (seenPrefix !== undefined)
    expectNoLeak(
      person,
      world,
      'a plan',
      await answer({ type: 'semaphore.prune', source: 'consul', prefixes: [seenPrefix] }),
    );
}

test(`no byte that a token is sent tells more than Consul tells it, and none tells less (${looks} looks, seed ${seed})`, {
  timeout: seenMaxMs + 60_000 + looks * 400,
}, async () => {
  for (let done = 0; done < looks; ) {
    const world = await createWorld(consul, chance);
    // Locks are let go while the world is made. A view that is behind would show their holders, who are asked for too late.
    await shownWhole(world);
    const all: Person[] = [];
    for (let i = 0; i < people; i += 1) all.push(await arrive(consul, world.policy()));
    done += await lookAll(all, world);
    for (let i = 0; i < stepsPerWorld && done < looks; i += 1) {
      await world.step();
      done += await lookAll(all, world);
      if (i === stepsPerWorld >> 1) done += await changeRights(all, world);
    }
    for (const person of all.slice(0, 4)) await planBlindly(person, world);
    await world.clear();
  }
});
