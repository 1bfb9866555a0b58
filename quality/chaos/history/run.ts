/**
 * `npm run chaos -- history --minutes 60`: a storm over Signalbox as built, then the same storm with faults that blind
 * Signalbox. Each takes half of the time. Then its history is compared with that of an independent recorder.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chanceOf } from '@/quality/chaos/chance';
import { openViewer, type Said } from '@/quality/chaos/viewer';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { startServer } from '@/test/support/server';
import { until } from '@/test/support/until';
import { type Blinding, blindUntil } from './blinding';
import { compare, type Stretch, type Told, type ToldGap, type ToldHold } from './compare';
import { type Evidence, type HistoryPart, keepEvidence, keptEvidence } from './evidence';
import { observe } from './observer';
import { startPerson } from './person';
import { heldNow, startStorm, stormPrefix, stormSemaphores } from './storm';

/** Longest delay of a screen that says "live": the bound of every other fault. */
export const boundMs = 5_500;
const windowMs = 60_000;
const actEveryMs = 4_000;
/** Time until everything is decided and written. */
const settleMs = 8_000;

interface Answer {
  readonly episodes: readonly ToldHold[];
  readonly gaps: readonly ToldGap[];
  readonly folded: boolean;
  readonly more: boolean;
}

/** The whole history of this time, asked a minute at a time. */
async function toldOf(baseUrl: string, { fromMs, toMs }: Stretch): Promise<Told> {
  const episodes = new Map<string, ToldHold>();
  const gaps = new Map<number, ToldGap>();
  for (let at = fromMs; at < toMs; at += windowMs) {
    const query = `subject=prefix:${stormPrefix}&from=${at}&to=${Math.min(at + windowMs, toMs)}&limit=5000`;
    const answer = await until(
      async () => {
        const response = await fetch(`${baseUrl}/api/v1/history?${query}`);
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        return (await response.json()) as Answer;
      },
      { what: 'the history', timeoutMs: 60_000, everyMs: 500 },
    );
    if (answer.more || answer.folded) throw new Error('the history left some of it out');
    for (const one of answer.episodes) episodes.set(one.id, one);
    for (const gap of answer.gaps) gaps.set(gap.fromMs, gap);
  }
  return { episodes: [...episodes.values()], gaps: [...gaps.values()] };
}

/** When the screen did not say "live", in epoch milliseconds. */
function notLive(said: readonly Said[], { fromMs, toMs }: Stretch): readonly Stretch[] {
  const epoch = (ms: number) => Date.now() - performance.now() + ms;
  return said
    .map(({ atMs, says }, n) => ({
      says,
      fromMs: epoch(atMs),
      toMs: epoch(said[n + 1]?.atMs ?? performance.now()),
    }))
    .filter((one) => one.says !== 'live' && one.toMs > fromMs && one.fromMs < toMs);
}

const judged = ({ comparison, ...evidence }: Evidence): HistoryPart => ({
  ...evidence,
  compared: compare(comparison),
});

async function part(
  name: HistoryPart['name'],
  { minutes, seed, consul: version }: { minutes: number; seed: number; consul: string },
  say: (text: string) => void,
): Promise<HistoryPart> {
  const ends: (() => unknown)[] = [];
  const chance = chanceOf(seed);
  try {
    const consul = await startConsul();
    ends.push(consul.stop);
    const proxy = await startFaultProxy(consul.address);
    ends.push(proxy.close);
    const server = await startServer({
      consulAddress: proxy.address,
      env: { SIGNALBOX_ANONYMOUS: 'on' },
    });
    ends.push(server.stop);
    const viewer = openViewer(server.baseUrl);
    ends.push(viewer.close);
    await until(() => viewer.screen().live, { what: 'the screen to be live', timeoutMs: 60_000 });
    // Signalbox's recorder begins a moment later.
    await delay(3_000);
    const fromMs = Date.now();
    const observer = await observe({
      address: consul.address,
      prefix: stormPrefix,
      semaphores: stormSemaphores,
    });
    const storm = startStorm({ address: consul.address, binary: consul.binary, chance });
    const person = startPerson({
      baseUrl: server.baseUrl,
      held: () => heldNow(consul.address),
      chance,
      everyMs: actEveryMs,
    });
    const untilMs = fromMs + minutes * 60_000;
    let blindings: readonly Blinding[] = [];
    try {
      if (name === 'faults') blindings = await blindUntil(untilMs, { proxy, server }, { chance, say });
      else await delay(untilMs - Date.now());
    } finally {
      await person.stop();
      await storm.stop();
    }
    await delay(settleMs);
    const seen = await observer.stop();
    const askedMs = Date.now();
    const range = { fromMs, toMs: askedMs };
    const comparison = {
      seen,
      told: await toldOf(server.baseUrl, range),
      deeds: person.done,
      notLive: notLive(viewer.said, range),
      blindings,
      boundMs,
      askedMs,
    };
    for (const text of new Set(storm.strays.map((one) => one.slice(0, 160)))) say(`   stray: ${text}`);
    const evidence = {
      name,
      minutes,
      seed,
      comparison,
      actions: person.done.length,
      refused: person.refused(),
      killed: storm.killed(),
      blindings,
      consul: version,
      at: new Date(fromMs).toISOString(),
    };
    keepEvidence(evidence);
    return judged(evidence);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** A quantile of ascending milliseconds. */
export const quantile = (ascending: readonly number[], share: number) =>
  Math.round(ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0);

export function printedPart({ name, minutes, compared, actions, refused, killed, blindings }: HistoryPart) {
  const { lagsMs, differences, ends } = compared;
  return [
    `${name}, ${minutes} min: ${compared.seen} holds seen, ${compared.told} told, ${compared.equal} the same; ${actions} actions done, ${refused} refused, ${killed} clients killed, ${blindings.length} faults`,
    `   over before a read: ${compared.unread}, the longest ${Math.round(compared.longestUnreadMs)} ms; in a gap: ${compared.inGap}; between two reads of the observer: ${compared.unobserved}, the longest ${Math.round(compared.longestUnobservedMs)} ms; taken again between two reads: ${compared.joined}`,
    `   later than the observer: p50 ${quantile(lagsMs, 0.5)} ms, p99 ${quantile(lagsMs, 0.99)} ms, at most ${quantile(lagsMs, 1)} ms`,
    `   ends: ${JSON.stringify(ends)}; ${compared.coalesced} with two right names; ${compared.gaps} gaps, ${Math.round(compared.gapMs / 1_000)} s`,
    `   ${differences.length} differences`,
    ...differences.slice(0, 60).map(({ kind, text }) => `     DIFFERS ${kind}: ${text}`),
  ].join('\n');
}

/** Runs both parts, each on its own Consul and Signalbox. */
export async function runHistory({
  minutes,
  seed,
  only,
  again,
  consul,
  say,
}: {
  minutes: number;
  seed: number;
  /** The only part to run; default: both, each for half of the time. */
  only?: string | undefined;
  /** Judges the evidence of the last run in place of a new one. */
  again: boolean;
  /** Version of the Consul that it runs on. */
  consul: string;
  say: (text: string) => void;
}): Promise<readonly HistoryPart[]> {
  const names = (['storm', 'faults'] as const).filter((name) => only === undefined || only === name);
  const parts: HistoryPart[] = [];
  for (const name of names) {
    say(`${name} …`);
    const played = again
      ? judged(keptEvidence(name))
      : await part(name, { minutes: minutes / names.length, seed, consul }, say);
    say(printedPart(played));
    parts.push(played);
  }
  return parts;
}
