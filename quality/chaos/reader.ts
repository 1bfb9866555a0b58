/**
 * An independent look at Consul: plain requests past the proxy and past every line of `lib/providers/consul`, so that a
 * mistake there cannot hide itself. Flags stay text; a screen is compared as a list of lines.
 */
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { within } from '@/lib/server/process/deadline';
import { until } from '@/test/support/until';
import { type Entry, holdersOfScreen, holdersOfTruth, type Truth } from './holders';

export interface Reader {
  /** Everything in Consul, read consistently. Rejects when no server answers, or none leads. */
  truth(): Promise<Truth>;
  /** `Truth.failing` alone. */
  failing(): Promise<ReadonlySet<string>>;
  /** As `truth`, retried for a minute; rejects when `signal` aborts. */
  patientTruth(signal: AbortSignal): Promise<Truth>;
  /** Calls `onState` with every state below `prefix` that a blocking query catches, until `close`. */
  watch(prefix: string, onState: (entries: readonly Entry[]) => void): void;
  close(): void;
}

export const lockFlags = '3304740253564472344';
export const semaphoreFlags = '16210313421097356768';

interface RawEntry {
  Key: string;
  Value: string | null;
  Session?: string;
  Flags: string;
  ModifyIndex: string;
}

/** Quotes 64-bit numbers, which JavaScript would round. Consul escapes quotes in strings, so no value matches. */
const lossless = (text: string) => text.replace(/"(Flags|ModifyIndex)":(\s*)(\d+)/g, '"$1":$2"$3"');

function entriesOf(text: string): Entry[] {
  const raw = (text === '' ? [] : JSON.parse(lossless(text))) as RawEntry[];
  return raw.map(({ Key, Value, Session, Flags, ModifyIndex }) => ({
    key: Key,
    value: Value === null ? '' : Buffer.from(Value, 'base64').toString(),
    session: Session ?? null,
    flags: Flags,
    modifyIndex: ModifyIndex,
  }));
}

interface RawSession {
  ID: string;
  Node: string;
  NodeChecks: string[] | null;
  ServiceChecks: { ID: string }[] | null;
}
interface RawCheck {
  Node: string;
  CheckID: string;
}

/**
 * The critical checks that concern a session: those that it names, and Consul's own check of its node. The latter says
 * nothing on a server, on which the session was merely made.
 */
const failingOf = (
  sessions: readonly RawSession[],
  critical: readonly RawCheck[],
  servers: ReadonlySet<string>,
): Set<string> =>
  new Set(
    sessions
      .filter(({ Node, NodeChecks, ServiceChecks }) => {
        const named = [...(NodeChecks ?? []), ...(ServiceChecks ?? []).map(({ ID }) => ID)];
        const its = servers.has(Node) ? named : ['serfHealth', ...named];
        return critical.some((check) => check.Node === Node && its.includes(check.CheckID));
      })
      .map(({ ID }) => ID),
  );

/** A reader of these servers, which takes the first answer. */
export function createReader({
  addresses,
  token,
}: {
  addresses: readonly string[];
  token: string | null;
}): Reader {
  const end = new AbortController();
  const headers = new Headers(token === null ? {} : { 'x-consul-token': token });
  const read = async (path: string, timeoutMs: number) => {
    let last: unknown;
    for (const address of addresses)
      try {
        const signal = within(timeoutMs, end.signal);
        const response = await fetch(`http://${address}/v1/${path}`, { headers, signal });
        const text = await response.text();
        // An empty prefix gives a 404 without a body.
        if (response.status === 404) return { text: '', index: response.headers.get('x-consul-index') };
        if (!response.ok) throw new Error(`${response.status} ${text}`);
        return { text, index: response.headers.get('x-consul-index') };
      } catch (error) {
        end.signal.throwIfAborted();
        last = error;
      }
    throw last;
  };
  const sessionsNow = async () =>
    JSON.parse((await read('session/list?consistent', 3_000)).text) as RawSession[];
  const criticalNow = async () =>
    JSON.parse((await read('health/state/critical?consistent', 3_000)).text) as RawCheck[];
  const serversNow = async () =>
    new Set(
      (JSON.parse((await read('catalog/service/consul?consistent', 3_000)).text) as RawCheck[]).map(
        ({ Node }) => Node,
      ),
    );
  const truth = async (): Promise<Truth> => {
    const [kv, sessions, critical, servers] = await Promise.all([
      read('kv/?recurse&consistent', 3_000),
      sessionsNow(),
      criticalNow(),
      serversNow(),
    ]);
    return {
      entries: entriesOf(kv.text),
      sessions: sessions.map(({ ID }) => ID).sort(),
      failing: failingOf(sessions, critical, servers),
    };
  };
  return {
    truth,
    failing: async () => {
      const critical = await criticalNow();
      if (critical.length === 0) return new Set();
      return failingOf(await sessionsNow(), critical, await serversNow());
    },
    patientTruth: async (signal) => {
      const answer = async (): Promise<Truth | 'left'> => (signal.aborted ? 'left' : truth());
      const read = await until(answer, { what: 'Consul to answer the reader', timeoutMs: 60_000 });
      if (read === 'left') throw signal.reason;
      return read;
    },
    watch: (prefix, onState) => {
      void (async () => {
        let index = '0';
        while (!end.signal.aborted) {
          const path = `kv/${prefix}?recurse&index=${index}&wait=10s`;
          const reply = await read(path, 15_000)
            .then(({ text, index: at }) => ({ entries: entriesOf(text), index: at }))
            .catch(() => null);
          if (reply === null) {
            index = '0';
            await new Promise((resolve) => setTimeout(resolve, 100));
            continue;
          }
          // A falling index means other data: after a restore, or on a server with new data.
          const next = reply.index ?? '0';
          index = BigInt(next) < BigInt(index) ? '0' : next;
          onState(reply.entries);
        }
      })();
    },
    close: () => end.abort(),
  };
}

const sorted = (list: readonly string[]) => [...list].sort().join(',');

/** The coordination entry of Go's semaphores; `null`: another shape. */
export function coordinationOf(value: string): { limit: number; holders: string[] } | null {
  if (!/^\{"Limit":\d+,"Holders":(\{.*\}|null)\}$/.test(value)) return null;
  const { Limit, Holders } = JSON.parse(value) as { Limit: number; Holders: Record<string, true> | null };
  return { limit: Limit, holders: Object.keys(Holders ?? {}) };
}

/** The meaning of the data: a line for each lock, semaphore, session and holder. */
export function linesOfTruth(truth: Truth): string[] {
  const { entries, sessions } = truth;
  const lines = sessions.map((id) => `session ${id}`);
  const prefixes = entries
    .filter(({ key, flags }) => key.endsWith('/.lock') && flags === semaphoreFlags)
    .map(({ key }) => key.slice(0, -'/.lock'.length));
  for (const { key, value, session, flags, modifyIndex } of entries) {
    const prefix = prefixes.find((one) => key.startsWith(`${one}/`));
    if (prefix === undefined) {
      lines.push(`lock ${key} ${session ?? '-'} ${flags} ${modifyIndex} ${value}`);
      if (session !== null) lines.push(...holdersOfTruth(truth, { key, prefix: null, holders: [session] }));
    } else if (key === `${prefix}/.lock`) {
      const { limit = null, holders = [] } = coordinationOf(value) ?? {};
      lines.push(...holdersOfTruth(truth, { key, prefix, holders }));
      const contenders = entries.filter(
        (one) => one.session !== null && one.key === `${prefix}/${one.session}`,
      );
      const waiters = contenders.map((one) => one.session ?? '').filter((id) => !holders.includes(id));
      lines.push(
        `semaphore ${prefix} ${limit} ${sorted(holders)} / ${sorted(waiters)} ${flags} ${modifyIndex}`,
      );
    }
  }
  return lines.sort();
}

/** The same for a screen. A missing key that is named only for its lock-delay is no data. */
export function linesOfScreen({ locks, semaphores, sessions }: Snapshot): string[] {
  const ids = (list: readonly { sessionId: string }[]) => sorted(list.map(({ sessionId }) => sessionId));
  return [
    ...sessions.map(({ id }) => `session ${id}`),
    ...locks
      .filter(({ exists }) => exists)
      .map(
        ({ key, holder, flags, modifyIndex, value }) =>
          `lock ${key} ${holder?.sessionId ?? '-'} ${flags} ${modifyIndex} ${value?.content ?? ''}`,
      ),
    ...semaphores
      .filter(({ flags }) => flags !== null)
      .map(
        ({ prefix, limit, holders, waiters, flags, modifyIndex }) =>
          `semaphore ${prefix} ${limit} ${ids(holders)} / ${ids(waiters)} ${flags} ${modifyIndex}`,
      ),
    ...holdersOfScreen({ locks, semaphores }),
  ].sort();
}
