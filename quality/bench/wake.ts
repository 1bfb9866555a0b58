/** From a write in Consul to an event in a browser. */
import { fork } from 'node:child_process';
import { says } from '@/lib/domain/world/change';
import { inProject } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium } from './browser';
import { openEventSource } from './event-source';
import { atMost, type Bench, type Figure, ms, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { ofMachine } from './page-clock';
import { plainHttp } from './plain';

const writes = 560;
/** The first samples run cold code on both sides. */
const warmUp = 60;
/** The random time between two writes, longer than a watch's rest and one more read, so that both sides wait again. */
const spacingMs = { min: 110, max: 170 };
const giveUpMs = 5_000;

interface Sample {
  readonly kind: 'locks' | 'values';
  readonly wroteMs: number;
  readonly readMs: number;
  readonly parsedMs: number;
  readonly eventMs: number;
}

/** A promise that is resolved from outside. */
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
  const told = (what: string, ours: (one: Sample) => number, compared: typeof ours | null, q: number) =>
    plainFigure(what, { ours: of(ours, q), compared: compared === null ? null : of(compared, q), show: ms });
  const wrote = (one: Sample) => one.wroteMs;
  const afterPut = (seen: (one: Sample) => number) => (one: Sample) => seen(one) - one.wroteMs;
  return [
    row('from sending the `PUT`, median', 0.5, undefined, 1.5),
    row('the same, p99', 0.99, undefined, 2),
    row('a lock changes hands, median', 0.5, 'locks', 1.5),
    row('the same, p99', 0.99, 'locks', 2),
    row('only a value changes, median', 0.5, 'values', 1.5),
    row('the same, p99', 0.99, 'values', 2),
    told('the `PUT` alone, from sending to its answer, median', wrote, null, 0.5),
    told('the same, p99', wrote, null, 0.99),
    told('from the answer of the `PUT`, median', afterPut(event), afterPut(parsed), 0.5),
    told('the same, p99', afterPut(event), afterPut(parsed), 0.99),
    told(
      'from sending the `PUT`, against the answer read but not parsed, median',
      event,
      (one) => one.readMs,
      0.5,
    ),
    told('the same, p99', event, (one) => one.readMs, 0.99),
  ];
}

export const bench: Bench = {
  title: 'Wake: from a write in Consul to an event in a browser',
  about: `${writes - warmUp} writes, ${spacingMs.min}-${spacingMs.max} ms after the one before was seen, to 1,000 entries in view (600 locks, 66 semaphores of six entries). Two of four free and take a lock, two change only a value under it. The same write wakes both: an \`EventSource\` of \`/api/v1/events\` in Chromium, in gzip, and a bare blocking query (\`node:http\`, \`?recurse\` over the same entries) in a process of its own. Time counts to the parsed patch there and to the parsed answer here, each by \`JSON.parse\`, all on the machine's monotonic clock. The goal is on the time from sending the \`PUT\`. The \`PUT\`'s own time is in that on both sides, so it stands in rows of its own, with the time that is left after its answer.`,
  excluded: `The first ${warmUp} writes, which find cold code on both sides.`,
  run: async ({ defer, say }) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    const { locks, rows } = await furnish(plain, { prefix: 'wake/', locks: 604, semaphores: 66 });
    const signalbox = await startServer({ consulAddress: consul.address });
    defer(signalbox.stop);
    let expected: { key: string; found: (atMs: number) => void } | null = null;
    const browser = await launchChromium();
    defer(() => browser.close());
    await openEventSource(browser, signalbox.baseUrl, { defer }, ({ data, atMs }) => {
      if (expected !== null && says(JSON.parse(data), 'locks', expected.key)) expected.found(atMs);
    });
    let answered: (atMs: { readMs: number; parsedMs: number }) => void = () => {};
    const query = fork(inProject('quality/bench', 'bare-query.mjs'), [
      `http://${consul.address}/v1/kv/wake/?recurse`,
      String(rows),
    ]);
    defer(() => query.kill('SIGKILL'));
    const died = new Promise<never>((_, reject) => {
      query.on('error', reject);
      query.on('exit', () => reject(new Error('The bare query has ended; why stands above.')));
    });
    // The process also ends with the bench, as expected.
    died.catch(() => {});
    query.on('message', (said) => {
      const { readNs, parsedNs } = said as { readNs: string; parsedNs: string };
      answered({ readMs: ofMachine(readNs), parsedMs: ofMachine(parsedNs) });
    });
    // Its first answer is the old state. From then on it waits.
    const waits = new Promise<void>((resolve) => {
      answered = () => resolve();
    });
    await Promise.race([waits, died]);
    const samples: Sample[] = [];
    for (let i = 0; i < writes; i += 1) {
      const gapMs = spacingMs.min + Math.random() * (spacingMs.max - spacingMs.min);
      await new Promise((resolve) => setTimeout(resolve, gapMs));
      // Free it, take it, change its value twice, then go to the next lock.
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
    return { compared: 'bare blocking query', figures: figures(samples) };
  },
};
