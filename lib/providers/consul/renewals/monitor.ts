/**
 * Follows the log of one agent for the renewals that go through it (decision 14).
 *
 *   connecting --a beat of ours shows in the stream--> observed --a gap--> connecting
 *       '--refused: forbidden, retried slower       '--no stream: unreachable, retried sooner
 *
 * Silence proves nothing. A network that swallows packets, a slow reader (the agent drops lines without notice) and a
 * stopped process all look like clients that have stopped. So a cheap, marked call, the beat, goes to the same agent
 * every two seconds (`agent-beats.ts`). A beat that does not soon show in the stream means a gap, and the stream
 * reopens. The agent writes its lines in order, so silence is proven up to the last beat shown. An address of several
 * agents is therefore never `observed`.
 *
 * An agent cuts every answer after `http_config.write_timeout` (15 min by default since 1.22.5). So the next stream
 * begins before the last one ends, and continues it (`log-overlap.ts`):
 *
 *   two at a time --the older one is cut------------------> one at a time, replaced at half the age of the cut
 *     ^          '--the older one is five minutes old-----> one at a time, replaced at that age
 *     '--- a gap
 */
import type http from 'node:http';
import { createBackoff } from '@/lib/domain/pace/backoff';
import type { RenewalWatch } from '@/lib/domain/source-state';
import { origin } from '@/lib/providers/consul/client/settings';
import { type BeatOptions, type Beats, createBeats } from './agent-beats';
import { answerMs, isFault, receive, request } from './agent-request';
import { createLogOverlap, type LogStream } from './log-overlap';
import { createLineReader, createLineSplitter, type MonitorEvent } from './monitor-line';

export interface MonitorOptions extends BeatOptions {
  readonly onWatch: (watch: RenewalWatch) => void;
  readonly onRenewal: (sessionId: string, atMs: number) => void;
  /** Every renewal through the agent until then has been reported. */
  readonly onProof: (untilMs: number) => void;
}

const beatMs = 2_000;
/** Lines may have been dropped before a beat that shows later than this. */
const beatLateMs = 4_000;
/** The time between two looks of this process at its streams. A pause above `stallMs` is a stall. */
const pulseMs = 500;
const stallMs = 2_000;
/**
 * The rest after a refusal, longer each time. The first is short, because a server that starts refuses every token until
 * it knows its leader: for up to 3 s.
 */
const refusedRestMs = { minMs: 2_000, maxMs: 60_000 };
const backoffMaxMs = 15_000;
/** Two streams begin this far apart, so that one limit cannot end both before a third has begun. */
const apartMs = 2_500;
/** A third of the age that agents allow by default. */
const lifeMaxMs = 5 * 60_000;
/** After a cut, streams are replaced at this share of the age at which it came. */
const shareOfCut = 0.5;
/** After this many hand-overs the age is learned again, because the cut may have been an accident. */
const learnAgainAfter = 20;

type End = 'forbidden' | 'unreachable' | 'gap';

interface Stream extends LogStream {
  readonly openedMs: number;
  readonly call: http.ClientRequest;
  /** The first beat that it must show; `null` before its head. */
  dueMark: number | null;
}

/** Follows the agent of `settings` until `signal` aborts, and resolves then. Rejects for a bug only. */
export async function followMonitor(options: MonitorOptions, signal: AbortSignal): Promise<void> {
  const { settings, clock, onWatch } = options;
  const agent = origin(settings);
  const backoff = createBackoff({ random: clock.random, maxMs: backoffMaxMs });
  const refused = createBackoff({ random: clock.random, ...refusedRestMs });
  let state: RenewalWatch['state'] | null = null;
  const setState = (next: RenewalWatch['state'], sinceMs: number | null = null) => {
    if (next === state) return;
    state = next;
    onWatch({ agent, state: next, sinceMs });
  };
  const observed = () => {
    backoff.reset();
    refused.reset();
    setState('observed', clock.now());
  };
  setState('connecting');
  while (!signal.aborted) {
    const end = await followUntilGap(options, observed, signal);
    if (signal.aborted) return;
    setState(end === 'gap' ? 'connecting' : end);
    try {
      await clock.pause((end === 'forbidden' ? refused : backoff).next(), signal);
    } catch {
      // Aborted while resting.
      return;
    }
  }
}

/** Reads streams that continue each other, until a gap. Resolves with its reason; rejects for a bug. */
async function followUntilGap(
  options: MonitorOptions,
  onObserved: () => void,
  signal: AbortSignal,
): Promise<End> {
  const { settings, clock, onRenewal, onProof } = options;
  const end = new AbortController();
  const within = AbortSignal.any([signal, end.signal]);
  let why: End = 'gap';
  const finish = (reason: End) => {
    if (!end.signal.aborted) why = reason;
    end.abort();
  };
  const bugs: unknown[] = [];
  const running = new Set<Promise<void>>();
  const run = (task: Promise<void>, onFailed: () => void) => {
    const ended = task.catch((error: unknown) => {
      if (!isFault(error)) bugs.push(error);
      onFailed();
    });
    running.add(ended);
    void ended.finally(() => running.delete(ended));
  };

  const beats = createBeats(options, within);
  const log = createLogOverlap<Stream>({
    onRenewal,
    onMark: (number) => {
      onObserved();
      const atMs = beats.sentMs(number);
      if (atMs !== undefined) onProof(atMs);
    },
  });
  /** The age at which a stream is replaced; `null`: unknown, so two are read at a time. */
  let lifeMs: number | null = null;
  /** Streams replaced in time since one was cut. */
  let handedOver = 0;
  const secondRest = createBackoff({ random: clock.random, maxMs: backoffMaxMs });
  /** Earliest instant for the next second stream. */
  let secondAtMs = 0;

  const isUsed = (stream: Stream) => !within.aborted && (stream === log.first() || stream === log.second());
  const endStream = (stream: Stream, reason: End, isCut = false) => {
    if (!isUsed(stream)) return;
    stream.call.destroy();
    if (stream === log.second()) {
      log.drop(stream);
      secondAtMs = clock.now() + secondRest.next();
      // The agent now refuses this request, so the older stream must not continue either.
      if (reason === 'forbidden') finish(reason);
    } else if (log.joined()) {
      if (isCut) [lifeMs, handedOver] = [(clock.now() - stream.openedMs) * shareOfCut, 0];
      log.handOver();
    } else finish(reason);
  };

  const read = (stream: Stream, event: MonitorEvent) => {
    if (!isUsed(stream)) return;
    if (event.kind === 'renewal') {
      log.renewal(stream, event.sessionId, clock.now());
      return;
    }
    const number = beats.numberOf(event.mark);
    if (number === null) return;
    // The line of a beat is missing, so others may be.
    const isMissing = stream.mark === null && number > (stream.dueMark ?? 0);
    if (isMissing || !log.mark(stream, number)) endStream(stream, 'gap');
  };
  const open = () => {
    const path = '/v1/agent/monitor?loglevel=debug&logjson';
    const call = request({ settings, path, signal: within, agent: false });
    const unread = { dueMark: null, firstMark: null, mark: null, renewals: 0, ahead: [] };
    const stream: Stream = { openedMs: clock.now(), call, ...unread };
    log.add(stream);
    const onHead = (status: number) => {
      // Statuses 401 and 403 last. Any other may pass.
      if (status !== 200) endStream(stream, status === 401 || status === 403 ? 'forbidden' : 'unreachable');
      if (!isUsed(stream)) return;
      stream.dueMark = beats.last() + 1;
      run(beats.send(), () => finish('gap'));
    };
    const onEnd = () =>
      endStream(stream, stream.dueMark === null ? 'unreachable' : 'gap', stream.dueMark !== null);
    const split = createLineSplitter(createLineReader((event) => read(stream, event)));
    run(receive(call, onHead, split).then(onEnd), onEnd);
  };

  /** Opens the second stream when it is due, and lets it continue the first one when that is old. */
  const replaceFirst = (nowMs: number) => {
    const [first, second] = [log.first(), log.second()];
    if (first?.mark == null) return;
    const ageMs = nowMs - first.openedMs;
    if (second === null && ageMs >= (lifeMs ?? apartMs) && nowMs >= secondAtMs) open();
    if (ageMs < (lifeMs ?? lifeMaxMs) || !log.joined()) return;
    lifeMs ??= lifeMaxMs;
    handedOver += 1;
    if (handedOver % learnAgainAfter === 0) lifeMs = null;
    secondRest.reset();
    log.handOver();
    first.call.destroy();
  };
  const dropLate = (nowMs: number) => {
    for (const stream of [log.second(), log.first()]) {
      if (stream === null || !isLate(stream, beats, nowMs)) continue;
      // The first stream shows our beats but this one does not, so there are several agents behind the address.
      if (stream === log.second() && stream.dueMark !== null && stream.mark === null) finish('gap');
      endStream(stream, stream.dueMark === null ? 'unreachable' : 'gap');
    }
  };
  const superviseStreams = async () => {
    let lastMs = clock.now();
    open();
    while (!within.aborted) {
      await clock.pause(pulseMs, within);
      const nowMs = clock.now();
      // The backlog of a stall would look like present events.
      if (nowMs - lastMs > stallMs || nowMs < lastMs) finish('gap');
      dropLate(nowMs);
      if (!within.aborted) replaceFirst(nowMs);
      lastMs = nowMs;
    }
  };
  const sendBeats = async () => {
    while (!within.aborted) {
      await clock.pause(beatMs, within);
      if (log.first()?.dueMark != null) await beats.send();
    }
  };
  for (const task of [superviseStreams(), sendBeats()]) run(task, () => finish('gap'));
  while (running.size > 0) await Promise.all(running);
  beats.close();
  if (bugs.length > 0) throw bugs[0];
  return why;
}

/** True when the head of a stream, or the next beat in it, does not come in time. */
function isLate({ dueMark, mark, openedMs }: Stream, beats: Beats, nowMs: number): boolean {
  if (dueMark === null) return nowMs - openedMs > answerMs;
  const nextMark = mark === null ? dueMark : mark + 1;
  return nowMs - (beats.sentMs(nextMark) ?? nowMs) > beatLateMs;
}
