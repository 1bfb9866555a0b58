/** From a write in Consul to an event in hand. */
import { fork } from 'node:child_process';
import { startSignalbox } from '@/e2e/support/signalbox';
import { says } from '@/lib/domain/change';
import { inProject } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { openEvents } from './events';
import { atMost, type Bench, type Figure, ms, quantile } from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';

const writes = 560;
/** The first ones find cold code on both sides. */
const warmUp = 60;
/** Between two writes, at random: longer than a watch rests and reads once more, so that both sides wait again. */
const spacingMs = { min: 110, max: 170 };
const giveUpMs = 5_000;

interface Sample {
  readonly kind: 'locks' | 'values';
  readonly wroteMs: number;
  readonly readMs: number;
  readonly parsedMs: number;
  readonly eventMs: number;
}

/** `process.hrtime` and `performance` go by the same clock, which all processes of a machine share, from another beginning. */
const beganNs = process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6));
const msOf = (ns: string) => Number(BigInt(ns) - beganNs) / 1e6;

/** One promise that somebody else resolves. */
function waitFor() {
  let found: (atMs: number) => void = () => {};
  const promise = new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Nothing was seen within ${giveUpMs} ms.`)), giveUpMs);
    found = (atMs) => {
      clearTimeout(timer);
      resolve(atMs);
    };
  });
  return { promise, found };
}

function figures(samples: readonly Sample[]): Figure[] {
  const of = (pick: (one: Sample) => number, q: number, kind?: Sample['kind']) =>
    quantile(samples.filter((one) => kind === undefined || one.kind === kind).map(pick), q);
  const event = (one: Sample) => one.eventMs;
  const parsed = (one: Sample) => one.parsedMs;
  const row = (what: string, q: number, kind: Sample['kind'] | undefined, max: number) =>
    atMost(what, { ours: of(event, q, kind), compared: of(parsed, q, kind), max, show: ms });
  const told = (what: string, q: number): Figure => {
    const [ours, compared] = [of(event, q), of((one) => one.readMs, q)];
    return { what, ours: ms(ours), compared: ms(compared), ratio: ours / compared, goal: null, met: null };
  };
  return [
    row('median', 0.5, undefined, 1.5),
    row('p99', 0.99, undefined, 2),
    row('median, a lock changes hands', 0.5, 'locks', 1.5),
    row('p99, a lock changes hands', 0.99, 'locks', 2),
    row('median, only a value changes', 0.5, 'values', 1.5),
    row('p99, only a value changes', 0.99, 'values', 2),
    told('median, against the answer read but not parsed', 0.5),
    told('p99, against the answer read but not parsed', 0.99),
  ];
}

export const bench: Bench = {
  title: 'Wake: from a write in Consul to an event',
  about: `${writes - warmUp} writes, ${spacingMs.min}-${spacingMs.max} ms after the one before was seen and told of, to 1,000 entries in view (600 locks, 66 semaphores of six entries). Two of four free and take a lock, two change only a value under it. The same write wakes both: a client of \`/api/v1/events\`, and a bare blocking query (\`node:http\`, \`?recurse\` over the same entries, \`JSON.parse\`) in a process of its own. Time counts from sending the \`PUT\`; ours to the last byte of the patch that has the change, theirs to the parsed answer.`,
  run: async ({ defer, say }) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    const { locks, rows } = await furnish(plain, { prefix: 'wake/', locks: 604, semaphores: 66 });
    const signalbox = await startSignalbox({ consulAddress: consul.address });
    defer(signalbox.stop);
    let expected: { key: string; found: (atMs: number) => void } | null = null;
    const events = await openEvents(signalbox.baseUrl, ({ event, data, atMs }) => {
      if (event !== 'patch' || expected === null) return;
      if (says(JSON.parse(data), 'locks', expected.key)) expected.found(atMs);
    });
    defer(events.close);
    let answered: (atMs: { readMs: number; parsedMs: number }) => void = () => {};
    const query = fork(inProject('bench', 'bare-query.mjs'), [
      `http://${consul.address}/v1/kv/wake/?recurse`,
      String(rows),
    ]);
    defer(() => query.kill('SIGKILL'));
    const died = new Promise<never>((_, reject) => {
      query.on('error', reject);
      query.on('exit', () => reject(new Error('The bare query has ended; why stands above.')));
    });
    // It ends with the bench as well, and then nobody waits for this.
    died.catch(() => {});
    query.on('message', (said) => {
      const { readNs, parsedNs } = said as { readNs: string; parsedNs: string };
      answered({ readMs: msOf(readNs), parsedMs: msOf(parsedNs) });
    });
    // Its first answer is of what there was; from then on it waits.
    const waits = new Promise<void>((resolve) => {
      answered = () => resolve();
    });
    await Promise.race([waits, died]);
    const samples: Sample[] = [];
    for (let i = 0; i < writes; i += 1) {
      const gapMs = spacingMs.min + Math.random() * (spacingMs.max - spacingMs.min);
      await new Promise((resolve) => setTimeout(resolve, gapMs));
      // Free it, take it, change its value twice: the next lock then.
      const lock = locks[Math.floor(i / 4) % locks.length];
      if (lock === undefined) throw new Error('There are no locks.');
      const kind = i % 4 < 2 ? 'locks' : 'values';
      const verb = i % 4 === 0 ? 'release' : 'acquire';
      const event = waitFor();
      expected = { key: lock.key, found: event.found };
      const bare = new Promise<{ readMs: number; parsedMs: number }>((resolve) => {
        answered = resolve;
      });
      const beganMs = performance.now();
      const written = plain
        .json<boolean>(
          'PUT',
          `/v1/kv/${lock.key}?${verb}=${lock.session}&flags=3304740253564472344`,
          `{"n":${i}}`,
        )
        .then((done) => {
          if (!done) throw new Error(`Consul refused to ${verb} ${lock.key}.`);
          return performance.now();
        });
      const [eventMs, { readMs, parsedMs }, wroteMs] = await Promise.all([
        event.promise,
        Promise.race([bare, died]),
        written,
      ]);
      if (readMs < beganMs) throw new Error('The bare query answered before it was asked for.');
      expected = null;
      if (i >= warmUp)
        samples.push({
          kind,
          wroteMs: wroteMs - beganMs,
          readMs: readMs - beganMs,
          parsedMs: parsedMs - beganMs,
          eventMs: eventMs - beganMs,
        });
      if (i % 140 === 139) say(`${i + 1} of ${writes} writes`);
    }
    const wrote = samples.map((one) => one.wroteMs);
    return {
      compared: 'bare blocking query',
      figures: figures(samples),
      notes: [
        `Of these times the \`PUT\` itself took ${ms(quantile(wrote, 0.5))} (median) to its answer, ${ms(quantile(wrote, 0.99))} (p99).`,
      ],
    };
  },
};
