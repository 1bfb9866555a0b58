/**
 * One session over connections to several servers. A new connection continues the session, or starts another when the
 * servers have ended it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { createAborts } from './aborts';
import { type Connection, expired, openConnection } from './connection';
import { brokeOff, lostAnswer, notTaken, type Reply, silent } from './failure';
import { noSession, type Request, sessionText, type ZkEvent } from './message';
import { whyNotTaken } from './serving';
import { serverText, type ZkSettings } from './settings';

export interface Up {
  readonly state: 'up';
  readonly address: string;
  /** In hex, as `ZkStat.ephemeralOwner`. */
  readonly sessionId: string;
  readonly timeoutMs: number;
}

export interface Away {
  readonly state: 'away';
  /** `null`: the first connection is under way. */
  readonly problem: Problem | null;
  /** True when every server failed since. */
  readonly everywhere: boolean;
}

export type Link = Up | Away;

export interface SessionListener {
  /** `up` again after `away`: watches are gone, and changes in between were not reported. */
  link(link: Link): void;
  event(event: ZkEvent): void;
}

export interface ZkSessionLine {
  link(): Link;
  /** When the last answer of any kind came; `null`: never. */
  heardMs(): number | null;
  /** Waits briefly for a connection, then sends once. */
  call<T>(request: Request<T>, signal: AbortSignal): Promise<Reply<T>>;
  /** Adds a listener, which receives the present link first. Returns a function that removes it. */
  listen(listener: SessionListener): () => void;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly settings: ZkSettings;
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** Longest wait for a connection. Most elections of a leader take less. */
const settleMs = 3_000;
/** Most requests without an answer. Only a silent server reaches this. */
const pendingMax = 4_000;
const retryMinMs = 100;
const retryMaxMs = 3_000;
/** A connection that lasted this long is no failure. */
const steadyMs = 1_000;

/**
 * Connects at the first call or listener. A sent call is never repeated, because only its caller knows if a repeat is
 * safe.
 */
export function createSession({ settings, now, random }: SessionOptions): ZkSessionLine {
  const listeners = new Set<SessionListener>();
  const stop = new AbortController();
  let link: Link = { state: 'away', problem: null, everywhere: false };
  let connection: Connection | null = null;
  let running: Promise<void> | null = null;
  let lastContactMs: number | null = null;
  let waiting = 0;
  let closing = false;
  const wake = new Set<() => void>();
  const onAbort = createAborts();

  const setLink = (next: Link) => {
    if (closing) return;
    link = next;
    for (const one of wake) one();
    for (const listener of listeners) listener.link(next);
  };

  /** Waits after each round of failures, once every server was tried. */
  async function backOff(failures: number): Promise<void> {
    const rounds = Math.floor(failures / settings.servers.length);
    if (rounds === 0) return;
    const fullMs = Math.min(retryMinMs * 2 ** Math.min(rounds - 1, 10), retryMaxMs);
    await pause(fullMs * (0.5 + random() / 2), undefined, { signal: stop.signal }).catch(() => {});
  }

  async function run(): Promise<void> {
    // A random start spreads the consoles over the servers.
    let turn = Math.floor(random() * settings.servers.length);
    let session = noSession;
    let zxid = 0n;
    let failures = 0;
    /** The time until which the servers may know the session. */
    let knownUntilMs = 0;
    while (!closing) {
      const server = settings.servers[turn % settings.servers.length];
      if (server === undefined) return;
      if (session !== noSession && now() > knownUntilMs) {
        // Servers that were reset have seen less than we have, and would refuse us for ever.
        session = noSession;
        zxid = 0n;
      }
      const opened = await openConnection(
        {
          server,
          settings,
          session,
          zxid,
          now,
          onZxid: (seen) => {
            if (seen > zxid) zxid = seen;
          },
          onEvent: (event) => {
            for (const listener of listeners) listener.event(event);
          },
        },
        stop.signal,
      );
      if (closing) return isProblem(opened) || opened === expired ? undefined : opened.close();
      if (opened === expired) {
        session = noSession;
        continue;
      }
      if (isProblem(opened)) {
        turn += 1;
        failures += 1;
        const everywhere = failures >= settings.servers.length;
        const problem = opened === notTaken ? await whyNotTaken(server, settings, stop.signal) : opened;
        setLink({ state: 'away', problem, everywhere });
        await backOff(failures);
        continue;
      }
      const upMs = now();
      connection = opened;
      ({ session } = opened);
      setLink({
        state: 'up',
        address: serverText(server),
        sessionId: sessionText(session.id),
        timeoutMs: opened.timeoutMs,
      });
      const why = await opened.ended;
      lastContactMs = opened.heardMs();
      connection = null;
      turn += 1;
      knownUntilMs = now() + 2 * opened.timeoutMs;
      // A server that accepts and drops us at once counts as a failure, so that a rest follows.
      failures = lastContactMs - upMs < steadyMs ? failures + 1 : 0;
      setLink({ state: 'away', problem: why, everywhere: false });
      await backOff(failures);
    }
  }
  const start = () => {
    if (!closing) running ??= run();
  };

  /** The connection; the problem when there is none for `settleMs`. */
  async function connected(signal: AbortSignal): Promise<Connection | Problem> {
    start();
    const endMs = now() + settleMs;
    while (connection === null) {
      const leftMs = endMs - now();
      if (closing || signal.aborted || leftMs <= 0)
        return (link.state === 'away' && link.problem) || silent(settleMs);
      if (waiting >= pendingMax) return silent(settleMs);
      waiting += 1;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          wake.delete(done);
          stopListening();
          resolve();
        };
        const timer = setTimeout(done, leftMs);
        const stopListening = onAbort(signal, done);
        wake.add(done);
      });
      waiting -= 1;
    }
    return connection;
  }

  return {
    link: () => link,
    heardMs: () => connection?.heardMs() ?? lastContactMs,
    call: async <T>(request: Request<T>, signal: AbortSignal): Promise<Reply<T>> => {
      const on = await connected(signal);
      if (isProblem(on)) return on;
      if (on.pending() >= pendingMax) return silent(settleMs);
      if (signal.aborted) return brokeOff;
      const sentMs = now();
      return await new Promise<Reply<T>>((resolve) => {
        const stopListening = onAbort(signal, () =>
          resolve(lostAnswer(silent(now() - sentMs), request.writes)),
        );
        on.call(request).then((reply) => {
          stopListening();
          resolve(reply);
        });
      });
    },
    listen: (listener) => {
      listeners.add(listener);
      listener.link(link);
      start();
      return () => void listeners.delete(listener);
    },
    close: async () => {
      closing = true;
      // Informs the server first, which then forgets the session.
      connection?.close();
      await connection?.ended;
      stop.abort();
      for (const one of wake) one();
      await running;
    },
  };
}
