/** Reads sessions from the administrative pages of all servers. Each server knows only its own connections. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ZkFacts, ZkSession } from '@/lib/providers/zookeeper/client/node';
import { fromChroot } from '@/lib/providers/zookeeper/client/path';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import { type AdminConnection, readConnections, readPage, readWatches } from './page';

export interface SessionFacts {
  /** The facts as last read. */
  current(): ZkFacts;
  /** Reads again and again, until aborted. */
  follow(onChange: () => void, signal: AbortSignal): Promise<void>;
}

const restMinMs = 5_000;
/** Longest rest. A server takes seconds for its first page. */
const restMaxMs = 15_000;
/** The rest after a look, as a multiple of its time. */
const restShare = 20;

/** The last word of one session at its server, and when it was heard at the latest. */
interface Word {
  readonly server: string;
  readonly atServer: number;
  readonly heardMs: number;
}

/** `/10.0.0.7:51234`, or with a name before the slash. */
const addressIn = (text: string): string | null => text.slice(text.indexOf('/') + 1) || null;

/**
 * Dates last words without knowing the server's clock. The latest word on a page is no later than the answer, which
 * bounds all others. An unchanged word keeps its earlier bound.
 */
function wordsOf(
  server: string,
  connections: readonly AdminConnection[],
  { answeredMs, before }: { answeredMs: number; before: ReadonlyMap<string, Word> },
): ReadonlyMap<string, Word> {
  const times = connections.flatMap(({ last_response_time: time }) => (time === null ? [] : [time]));
  const latest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const words = new Map<string, Word>();
  for (const { session_id: id, last_response_time: atServer } of connections) {
    if (atServer === null) continue;
    const bound = answeredMs - (latest - atServer);
    const known = before.get(id);
    const isKnown = known?.server === server && known.atServer === atServer;
    words.set(id, { server, atServer, heardMs: isKnown ? Math.min(known.heardMs, bound) : bound });
  }
  return words;
}

const sessionOf = (connection: AdminConnection, words: ReadonlyMap<string, Word>): ZkSession => ({
  id: connection.session_id,
  address: addressIn(connection.remote_socket_address),
  timeoutMs: connection.session_timeout,
  lastContactMs: words.get(connection.session_id)?.heardMs ?? null,
});

const page = (base: URL, command: string): URL =>
  new URL(`${base.pathname.replace(/\/$/, '')}/commands/${command}`, base);

export function createSessionFacts(settings: ZkSettings, now: () => number): SessionFacts {
  const { counts, admin, chroot, servers } = settings;
  /** False when a server has no page. Its clients would seem to have no connection. */
  const namesAll = admin.length >= servers.length;
  let facts: ZkFacts = { counts, sessions: null, sessionsWhole: false, watchers: null };
  let words: ReadonlyMap<string, Word> = new Map();

  async function readSessions(signal: AbortSignal): Promise<Pick<ZkFacts, 'sessions' | 'sessionsWhole'>> {
    const sessions = new Map<string, ZkSession>();
    const next = new Map<string, Word>();
    const lists = await Promise.all(
      admin.map(async (base) => {
        const text = await readPage(page(base, 'connections'), settings, signal);
        return { base, answeredMs: now(), connections: text === null ? null : readConnections(text) };
      }),
    );
    for (const { base, answeredMs, connections } of lists) {
      const lastWords = wordsOf(base.href, connections ?? [], { answeredMs, before: words });
      for (const one of connections ?? []) {
        // A connection without a greeting has no session.
        if (one.session_id !== '0') sessions.set(one.session_id, sessionOf(one, lastWords));
      }
      for (const [id, word] of lastWords) next.set(id, word);
    }
    const answers = lists.filter(({ connections }) => connections !== null).length;
    words = next;
    return answers === 0
      ? { sessions: null, sessionsWhole: false }
      : { sessions, sessionsWhole: namesAll && answers === admin.length };
  }

  async function readWatchers(signal: AbortSignal): Promise<ZkFacts['watchers']> {
    // A missing server would hide its watches.
    if (!namesAll) return null;
    const watchers = new Map<string, Set<string>>();
    const texts = await Promise.all(
      admin.map((base) => readPage(page(base, 'watches_by_path'), settings, signal)),
    );
    for (const text of texts) {
      const paths = text === null ? null : readWatches(text);
      if (paths === null) return null;
      for (const [path, ids] of Object.entries(paths)) {
        const own = fromChroot(chroot, path);
        if (own === null) continue;
        const known = watchers.get(own) ?? new Set();
        for (const id of ids) known.add(id);
        watchers.set(own, known);
      }
    }
    return watchers;
  }

  return {
    current: () => facts,
    follow: async (onChange, signal) => {
      while (admin.length > 0 && !signal.aborted) {
        const startMs = now();
        const [sessions, watchers] = await Promise.all([readSessions(signal), readWatchers(signal)]);
        if (signal.aborted) return;
        facts = { ...facts, ...sessions, watchers };
        onChange();
        const restMs = Math.min(Math.max(restMinMs, (now() - startMs) * restShare), restMaxMs);
        await pause(restMs, undefined, { signal }).catch(() => {});
      }
    },
  };
}
