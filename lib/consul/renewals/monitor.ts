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
 */
import http from 'node:http';
import https from 'node:https';
import { createBackoff } from '@/lib/consul/client/backoff';
import type { Clock } from '@/lib/consul/client/clock';
import { type ConsulSettings, origin } from '@/lib/consul/client/settings';
import type { RenewalWatch } from '@/lib/domain/model';
import { createLineReader, createLineSplitter, markName } from './monitor-line';

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
const answerMs = 5_000;
/** How often we look whether this process itself was held up, and how long that may be. */
const pulseMs = 500;
const stallMs = 2_000;
/** A right that is missing is not granted in a moment. */
const forbiddenRestMs = 60_000;
const backoffMaxMs = 15_000;

type End = 'forbidden' | 'unreachable' | 'gap';

function request(settings: ConsulSettings, path: string, signal: AbortSignal, agent: http.Agent | false) {
  const { tls } = settings;
  const options: https.RequestOptions = {
    host: settings.host,
    port: settings.port,
    path,
    agent,
    signal,
    headers: settings.token === null ? {} : { 'x-consul-token': settings.token },
    ...(settings.socketPath === null ? {} : { socketPath: settings.socketPath }),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
  };
  return (settings.protocol === 'https' ? https : http).get(options);
}

/** The status of a response, and its body piece by piece. Resolves at its end; rejects when it breaks. */
function receive(
  call: http.ClientRequest,
  onHead: (status: number) => void,
  onText: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      onHead(response.statusCode ?? 0);
      // Bytes as they are: keys may hold anything, and what is read here is ASCII.
      response.setEncoding('latin1');
      response.on('data', onText);
      response.on('error', reject);
      response.on('end', resolve);
      response.on('close', () => reject(Object.assign(new Error('The answer was cut.'), { code: 'CUT' })));
    });
  });
}

/** True for what a network, a server or an end of waiting throws; everything else is a bug. */
function isFault(error: unknown): boolean {
  return error instanceof Error && ('code' in error || /^(Abort|Timeout)Error$/.test(error.name));
}

/** One stream, until it ends. Resolves with why; rejects for a bug. */
async function stream(
  { settings, clock, onRenewal, onProof, onLeader }: MonitorOptions,
  onObserved: () => void,
  signal: AbortSignal,
): Promise<End> {
  const end = new AbortController();
  const within = AbortSignal.any([signal, end.signal]);
  let why: End | null = null;
  const finish = (reason: End) => {
    why ??= reason;
    end.abort();
  };
  const name = Math.floor(clock.random() * 2 ** 40).toString(36);
  let sent = 0;
  let seen = 0;
  /** When the beats were sent that have not come by. */
  const waiting: number[] = [];
  const openedMs = clock.now();
  let status: number | null = null;

  const read = createLineReader((event) => {
    const atMs = clock.now();
    if (event.kind === 'renewal') onRenewal(event.sessionId, atMs);
    else if (event.mark.startsWith(`${name}-`)) {
      const number = Number(event.mark.slice(name.length + 1));
      // The line of a beat is missing, so others may be.
      if (number !== seen + 1) finish('gap');
      seen = number;
      const sentMs = waiting.shift();
      if (end.signal.aborted || sentMs === undefined) return;
      onObserved();
      onProof(sentMs);
    }
  });
  const split = createLineSplitter(read);
  const keep = settings.protocol === 'https' ? https.Agent : http.Agent;
  const sockets = new keep({ keepAlive: true, maxSockets: 1 });

  const beat = async () => {
    let text = '';
    let answered = 0;
    sent += 1;
    waiting.push(clock.now());
    const call = request(settings, `/v1/status/leader?${markName}=${name}-${sent}`, within, sockets);
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
      if (status === 200) await beat();
      await clock.pause(status === 200 ? beatMs : pulseMs, within);
    }
  };
  const watch = async () => {
    let lastMs = clock.now();
    while (!within.aborted) {
      await clock.pause(pulseMs, within);
      const nowMs = clock.now();
      const late = nowMs - (waiting[0] ?? nowMs) > beatLateMs;
      // What piled up while we were held up is not read: it would look as if it had happened just now.
      if (nowMs - lastMs > stallMs || nowMs < lastMs || late) finish('gap');
      if (status === null && nowMs - openedMs > answerMs) finish('unreachable');
      lastMs = nowMs;
    }
  };
  const follow = async () => {
    await receive(
      request(settings, '/v1/agent/monitor?loglevel=debug&logjson', within, false),
      (code) => {
        status = code;
        // 401 and 403: it does not know us, or may not show us. Everything else may pass.
        if (code !== 200) finish(code === 401 || code === 403 ? 'forbidden' : 'unreachable');
      },
      (text) => {
        if (!within.aborted) split(text);
      },
    );
    finish('gap');
  };
  const broke = (error: unknown) => {
    finish(status === 200 ? 'gap' : 'unreachable');
    if (!isFault(error)) throw error;
  };
  try {
    await Promise.all([follow().catch(broke), beats().catch(broke), watch().catch(broke)]);
  } finally {
    sockets.destroy();
  }
  return why ?? 'gap';
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
    const end = await stream(options, observed, signal);
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
