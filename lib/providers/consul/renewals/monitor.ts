/**
 * Follows the log of one agent for the renewals that go through it (docs/decisions: observed renewals).
 *
 *   connecting --our own call comes by in the stream--> observed --a gap--> connecting
 *       '--refused: forbidden, tried again slowly       '--no stream: unreachable, tried again sooner
 *
 * A stream of silence proves nothing: a network that swallows packets, a reader that is too slow (the agent drops
 * lines without a word) and a process that was stopped all look like clients that have stopped. So every two seconds a
 * cheap, marked call goes to the same agent, and must come by in the stream soon after. It does not: a gap, and the
 * stream is opened anew. Silence is proven only up to the last mark that came by: the agent writes its lines in order,
 * so all before that mark have come, and of those after it nothing is known yet. This holds for an address with several
 * agents behind it, too, which is never `observed`. The call asks for the leader, whose change gives every session its
 * full time anew.
 *
 * An agent cuts every answer after `http_config.write_timeout` (15 min by default since 1.22.5), and this stream with
 * it. So the next stream begins before the last one ends, and continues it (`log-overlap.ts`):
 *
 *   two at a time --the older one is cut------------------> one at a time, replaced at half the age of the cut
 *     ^          '--the older one is five minutes old-----> one at a time, replaced at that age
 *     '--- a gap
 */
import http from 'node:http';
import https from 'node:https';
import type { RenewalWatch } from '@/lib/domain/source-state';
import { createBackoff } from '@/lib/providers/consul/client/backoff';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { type ConsulSettings, origin } from '@/lib/providers/consul/client/settings';
import { isFault, receive, request } from './agent-request';
import { createLogOverlap, type LogStream } from './log-overlap';
import { createLineReader, createLineSplitter, type MonitorEvent, markName } from './monitor-line';

export interface MonitorOptions {
  readonly settings: ConsulSettings;
  readonly clock: Clock;
  /** Called when the state changes. */
  readonly onWatch: (watch: RenewalWatch) => void;
  readonly onRenewal: (sessionId: string, atMs: number) => void;
  /** Every renewal that went through the agent until then has been told. */
  readonly onProof: (untilMs: number) => void;
  /** What the agent takes for the leader, at every beat; `null` for none. */
  readonly onLeader: (leader: string | null, atMs: number) => void;
}

const beatMs = 2_000;
/** So long a beat may take to come by in the stream. Later than that, lines may have been dropped before it. */
const beatLateMs = 4_000;
/** More beats than are sent before a stream that lacks one is given up. */
const beatsKept = 64;
const answerMs = 5_000;
/** How often we look whether this process itself was held up, and how long that may be. */
const pulseMs = 500;
const stallMs = 2_000;
/** A right that is missing is not granted in a moment. */
const forbiddenRestMs = 60_000;
const backoffMaxMs = 15_000;
/** Two streams at a time begin so far apart that one limit cannot end both before a third has begun. */
const apartMs = 2_500;
/** No stream is used for longer: a third of what agents allow by default. */
const lifeMaxMs = 5 * 60_000;
/** The share of the age at which a stream was cut that the next ones are used for. */
const shareOfCut = 0.5;
/** After so many hand-overs in time the age is learned anew: the one that was cut may have been cut by chance, and young. */
const learnAgainAfter = 20;

type End = 'forbidden' | 'unreachable' | 'gap';

interface Stream extends LogStream {
  readonly openedMs: number;
  readonly call: http.ClientRequest;
  /** The first mark that it has to show; `null` before its head. */
  dueMark: number | null;
}

/** Streams that continue each other, until there is a gap. Resolves with why; rejects for a bug. */
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
  /** When the latest beats were sent. */
  const sentMs = new Map<number, number>();
  const log = createLogOverlap<Stream>({
    onRenewal,
    onMark: (number) => {
      onObserved();
      const atMs = sentMs.get(number);
      if (atMs !== undefined) onProof(atMs);
    },
  });
  /** How long a stream is used; `null`: not known, so two at a time. */
  let lifeMs: number | null = null;
  /** Hand-overs in time, since a stream was cut. */
  let inTime = 0;
  const secondRest = createBackoff({ random: clock.random, maxMs: backoffMaxMs });
  let secondAtMs = 0;

  const isUsed = (stream: Stream) => !within.aborted && (stream === log.first() || stream === log.second());
  const lose = (stream: Stream, reason: End, isCut = false) => {
    if (!isUsed(stream)) return;
    stream.call.destroy();
    if (stream === log.second()) {
      log.drop(stream);
      secondAtMs = clock.now() + secondRest.next();
      // What the newer request is refused, the older one may not go on to read.
      if (reason === 'forbidden') finish(reason);
    } else if (log.joined()) {
      if (isCut) [lifeMs, inTime] = [(clock.now() - stream.openedMs) * shareOfCut, 0];
      log.handOver();
    } else finish(reason);
  };

  const keep = settings.protocol === 'https' ? https.Agent : http.Agent;
  const sockets = new keep({ keepAlive: true, maxSockets: 1 });
  const beat = async () => {
    let text = '';
    let answered = 0;
    sent += 1;
    sentMs.set(sent, clock.now());
    sentMs.delete(sent - beatsKept);
    const path = `/v1/status/leader?${markName}=${name}-${sent}`;
    const call = request({ settings, path, signal: within, agent: sockets });
    // No signal of its own: Node keeps a trace of each signal that was made from one that lives on, and a stream does.
    const late = () => call.destroy(Object.assign(new Error('The answer is late.'), { code: 'LATE' }));
    const timer = setTimeout(late, answerMs);
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
    // Without a leader Consul answers "" here. An error (an agent that is starting) says nothing of leaders.
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
      if (isMissing || !log.mark(stream, number)) lose(stream, 'gap');
    }
  };
  const open = () => {
    const path = '/v1/agent/monitor?loglevel=debug&logjson';
    const call = request({ settings, path, signal: within, agent: false });
    const unread = { dueMark: null, firstMark: null, mark: null, renewals: 0, ahead: [] };
    const stream: Stream = { openedMs: clock.now(), call, ...unread };
    log.add(stream);
    const onHead = (status: number) => {
      // 401 and 403: it does not know us, or may not show us. Everything else may pass.
      if (status !== 200) lose(stream, status === 401 || status === 403 ? 'forbidden' : 'unreachable');
      if (!isUsed(stream)) return;
      stream.dueMark = sent + 1;
      run(beat(), () => finish('gap'));
    };
    const over = () => lose(stream, stream.dueMark === null ? 'unreachable' : 'gap', stream.dueMark !== null);
    const split = createLineSplitter(createLineReader((event) => read(stream, event)));
    run(receive(call, onHead, split).then(over), over);
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
      // What piled up while we were held up is not read: it would look as if it had happened just now.
      if (nowMs - lastMs > stallMs || nowMs < lastMs) finish('gap');
      for (const stream of [log.second(), log.first()])
        if (stream !== null && isLate(stream, nowMs)) {
          // It shows none of our marks, and the first one shows them: there are several agents behind this address.
          if (stream === log.second() && stream.dueMark !== null && stream.mark === null) finish('gap');
          lose(stream, stream.dueMark === null ? 'unreachable' : 'gap');
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
  const become = (next: RenewalWatch['state'], sinceMs: number | null = null) => {
    if (next === state) return;
    state = next;
    onWatch({ agent, state: next, sinceMs });
  };
  const observed = () => {
    backoff.reset();
    become('observed', clock.now());
  };
  become('connecting');
  while (!signal.aborted) {
    const end = await unbroken(options, observed, signal);
    if (signal.aborted) return;
    become(end === 'gap' ? 'connecting' : end);
    try {
      await clock.pause(end === 'forbidden' ? forbiddenRestMs : backoff.next(), signal);
    } catch {
      // Aborted while resting.
      return;
    }
  }
}
