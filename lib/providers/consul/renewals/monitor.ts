/**
 * Follows the log of one agent for the renewals that go through it (decision 14).
 *
 *   connecting --our own call shows in the stream--> observed --a gap--> connecting
 *       '--refused: forbidden, retried slowly       '--no stream: unreachable, retried sooner
 *
 * Silence proves nothing: a network that swallows packets, a slow reader (the agent drops lines without notice) and a
 * stopped process all look like clients that have stopped. So every two seconds a cheap, marked call goes to the same
 * agent and must soon show in the stream, or there is a gap and the stream reopens. Silence is proven up to the last
 * mark shown, as the agent writes its lines in order. An address of several agents is therefore never `observed`. The
 * call asks for the leader, whose change gives every session its full time again.
 *
 * An agent cuts every answer after `http_config.write_timeout` (15 min by default since 1.22.5). So the next stream
 * begins before the last one ends, and continues it (`log-overlap.ts`):
 *
 *   two at a time --the older one is cut------------------> one at a time, replaced at half the age of the cut
 *     ^          '--the older one is five minutes old-----> one at a time, replaced at that age
 *     '--- a gap
 */
import http from 'node:http';
import https from 'node:https';
import { createBackoff } from '@/lib/domain/pace/backoff';
import type { RenewalWatch } from '@/lib/domain/source-state';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { type ConsulSettings, origin } from '@/lib/providers/consul/client/settings';
import { isFault, receive, request } from './agent-request';
import { createLogOverlap, type LogStream } from './log-overlap';
import { createLineReader, createLineSplitter, type MonitorEvent, markName } from './monitor-line';

export interface MonitorOptions {
  readonly settings: ConsulSettings;
  readonly clock: Clock;
  readonly onWatch: (watch: RenewalWatch) => void;
  readonly onRenewal: (sessionId: string, atMs: number) => void;
  /** Every renewal through the agent until then has been reported. */
  readonly onProof: (untilMs: number) => void;
  /** The agent's leader, at every beat; `null`: none. */
  readonly onLeader: (leader: string | null, atMs: number) => void;
}

const beatMs = 2_000;
/** A beat that shows later: lines may have been dropped before it. */
const beatLateMs = 4_000;
/** More beats than are sent before a stream that lacks one is given up. */
const beatsKept = 64;
const answerMs = 5_000;
/** How often, and by how much, this process itself may have been held up. */
const pulseMs = 500;
const stallMs = 2_000;
const forbiddenRestMs = 60_000;
const backoffMaxMs = 15_000;
/** Two streams begin this far apart, so that one limit cannot end both before a third has begun. */
const apartMs = 2_500;
/** A third of the age that agents allow by default. */
const lifeMaxMs = 5 * 60_000;
/** The share of the age of a cut after which the next streams are replaced. */
const shareOfCut = 0.5;
/** After this many hand-overs the age is learned again: a cut may have been a chance. */
const learnAgainAfter = 20;

type End = 'forbidden' | 'unreachable' | 'gap';

interface Stream extends LogStream {
  readonly openedMs: number;
  readonly call: http.ClientRequest;
  /** The first mark that it must show; `null` before its head. */
  dueMark: number | null;
}

/** Streams that continue each other, until a gap. Resolves with the reason; rejects for a bug. */
async function unbroken(
  { settings, clock, onRenewal, onProof, onLeader }: MonitorOptions,
  onObserved: () => void,
  signal: AbortSignal,
): Promise<End> {
  const end = new AbortController();
  const within = AbortSignal.any([signal, end.signal]);
  let why: End = 'gap';
  const finish = (reason: End) => {
    if (!end.signal.aborted) why = reason;
    end.abort();
  };
  const bugs: unknown[] = [];
  const running = new Set<Promise<void>>();
  const run = (task: Promise<void>, broke: () => void) => {
    const ended = task.catch((error: unknown) => {
      if (!isFault(error)) bugs.push(error);
      broke();
    });
    running.add(ended);
    void ended.finally(() => running.delete(ended));
  };

  const name = Math.floor(clock.random() * 2 ** 40).toString(36);
  let sent = 0;
  const sentMs = new Map<number, number>();
  const log = createLogOverlap<Stream>({
    onRenewal,
    onMark: (number) => {
      onObserved();
      const atMs = sentMs.get(number);
      if (atMs !== undefined) onProof(atMs);
    },
  });
  /** How long a stream is used; `null`: unknown, so two at a time. */
  let lifeMs: number | null = null;
  /** Hand-overs in time, since a stream was cut. */
  let inTime = 0;
  const secondRest = createBackoff({ random: clock.random, maxMs: backoffMaxMs });
  let secondAtMs = 0;

  const isUsed = (stream: Stream) => !within.aborted && (stream === log.first() || stream === log.second());
  const endStream = (stream: Stream, reason: End, isCut = false) => {
    if (!isUsed(stream)) return;
    stream.call.destroy();
    if (stream === log.second()) {
      log.drop(stream);
      secondAtMs = clock.now() + secondRest.next();
      // The older stream must not read on what the newer request is refused.
      if (reason === 'forbidden') finish(reason);
    } else if (log.joined()) {
      if (isCut) [lifeMs, inTime] = [(clock.now() - stream.openedMs) * shareOfCut, 0];
      log.handOver();
    } else finish(reason);
  };

  const KeepAliveAgent = settings.protocol === 'https' ? https.Agent : http.Agent;
  const sockets = new KeepAliveAgent({ keepAlive: true, maxSockets: 1 });
  const beat = async () => {
    let text = '';
    let answered = 0;
    sent += 1;
    sentMs.set(sent, clock.now());
    sentMs.delete(sent - beatsKept);
    const path = `/v1/status/leader?${markName}=${name}-${sent}`;
    const call = request({ settings, path, signal: within, agent: sockets });
    // No signal of its own: Node keeps a trace of each signal made from a lasting one, and a stream lasts.
    const onTimeout = () => call.destroy(Object.assign(new Error('The answer is late.'), { code: 'LATE' }));
    const timer = setTimeout(onTimeout, answerMs);
    try {
      await receive(
        call,
        (code) => {
          answered = code;
        },
        (part) => {
          text = (text + part).slice(0, 256);
        },
      );
    } finally {
      clearTimeout(timer);
    }
    // Without a leader Consul answers "". An error (a starting agent) says nothing about leaders.
    if (answered === 200) onLeader(/^"(.+)"\s*$/.exec(text)?.[1] ?? null, clock.now());
  };
  const beats = async () => {
    while (!within.aborted) {
      await clock.pause(beatMs, within);
      if (log.first()?.dueMark != null) await beat();
    }
  };

  const read = (stream: Stream, event: MonitorEvent) => {
    if (!isUsed(stream)) return;
    if (event.kind === 'renewal') log.renewal(stream, event.sessionId, clock.now());
    else if (event.mark.startsWith(`${name}-`)) {
      const number = Number(event.mark.slice(name.length + 1));
      // The line of a beat is missing, so others may be.
      const isMissing = stream.mark === null && number > (stream.dueMark ?? 0);
      if (isMissing || !log.mark(stream, number)) endStream(stream, 'gap');
    }
  };
  const open = () => {
    const path = '/v1/agent/monitor?loglevel=debug&logjson';
    const call = request({ settings, path, signal: within, agent: false });
    const unread = { dueMark: null, firstMark: null, mark: null, renewals: 0, ahead: [] };
    const stream: Stream = { openedMs: clock.now(), call, ...unread };
    log.add(stream);
    const onHead = (status: number) => {
      // 401 and 403 last; everything else may pass.
      if (status !== 200) endStream(stream, status === 401 || status === 403 ? 'forbidden' : 'unreachable');
      if (!isUsed(stream)) return;
      stream.dueMark = sent + 1;
      run(beat(), () => finish('gap'));
    };
    const onEnd = () =>
      endStream(stream, stream.dueMark === null ? 'unreachable' : 'gap', stream.dueMark !== null);
    const split = createLineSplitter(createLineReader((event) => read(stream, event)));
    run(receive(call, onHead, split).then(onEnd), onEnd);
  };

  const isLate = ({ dueMark, mark, openedMs }: Stream, nowMs: number) =>
    dueMark === null
      ? nowMs - openedMs > answerMs
      : nowMs - (sentMs.get(mark === null ? dueMark : mark + 1) ?? nowMs) > beatLateMs;
  const renew = (nowMs: number) => {
    const [first, second] = [log.first(), log.second()];
    if (first?.mark == null) return;
    const ageMs = nowMs - first.openedMs;
    if (second === null && ageMs >= (lifeMs ?? apartMs) && nowMs >= secondAtMs) open();
    if (ageMs < (lifeMs ?? lifeMaxMs) || !log.joined()) return;
    lifeMs ??= lifeMaxMs;
    inTime += 1;
    if (inTime % learnAgainAfter === 0) lifeMs = null;
    secondRest.reset();
    log.handOver();
    first.call.destroy();
  };
  const watch = async () => {
    let lastMs = clock.now();
    open();
    while (!within.aborted) {
      await clock.pause(pulseMs, within);
      const nowMs = clock.now();
      // The backlog of a stall would look as if it had happened just now.
      if (nowMs - lastMs > stallMs || nowMs < lastMs) finish('gap');
      for (const stream of [log.second(), log.first()])
        if (stream !== null && isLate(stream, nowMs)) {
          // The first stream shows our marks and this one none: there are several agents behind the address.
          if (stream === log.second() && stream.dueMark !== null && stream.mark === null) finish('gap');
          endStream(stream, stream.dueMark === null ? 'unreachable' : 'gap');
        }
      if (!within.aborted) renew(nowMs);
      lastMs = nowMs;
    }
  };
  for (const task of [watch(), beats()]) run(task, () => finish('gap'));
  while (running.size > 0) await Promise.all(running);
  sockets.destroy();
  if (bugs.length > 0) throw bugs[0];
  return why;
}

/** Runs until aborted; rejects for a bug only. */
export async function followMonitor(options: MonitorOptions, signal: AbortSignal): Promise<void> {
  const { settings, clock, onWatch } = options;
  const agent = origin(settings);
  const backoff = createBackoff({ random: clock.random, maxMs: backoffMaxMs });
  let state: RenewalWatch['state'] | null = null;
  const setState = (next: RenewalWatch['state'], sinceMs: number | null = null) => {
    if (next === state) return;
    state = next;
    onWatch({ agent, state: next, sinceMs });
  };
  const observed = () => {
    backoff.reset();
    setState('observed', clock.now());
  };
  setState('connecting');
  while (!signal.aborted) {
    const end = await unbroken(options, observed, signal);
    if (signal.aborted) return;
    setState(end === 'gap' ? 'connecting' : end);
    try {
      await clock.pause(end === 'forbidden' ? forbiddenRestMs : backoff.next(), signal);
    } catch {
      // Aborted while resting.
      return;
    }
  }
}
