/**
 * Tools to make situations: a real agent, sessions renewed as by a living process, and real `consul lock` processes.
 * Nothing here knows Signalbox's claims.
 */

import type { KvRow } from '@/lib/providers/consul/client/wire';
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Stage as RecordStage, SessionOptions } from '@/test/record/scenario';
import { type ConsulLock, runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

export interface StageSession extends SessionOptions {
  readonly node?: string;
  /** False: the session is not renewed, as after the death of its process. Only short TTLs are ever renewed. */
  readonly renewed?: boolean;
}

export interface ProcessOptions {
  readonly n: number;
  readonly prefix: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** Its agent; this world's by default. */
  readonly agent?: TestConsul;
}

export interface Stage extends RecordStage {
  session(options?: StageSession): Promise<string>;
  /** A session that locks its contender entry below the prefix. */
  contender(prefix: string, session?: StageSession & { flags?: string; value?: string }): Promise<string>;
  /** Writes the coordination entry byte for byte. */
  entry(prefix: string, value: string | Buffer, flags?: string): Promise<void>;
  /** Writes a coordination entry of Go's layout (or of the list layout, with flags 0) that names these holders. */
  recorded(prefix: string, limit: number, holders: readonly string[], shape?: 'map' | 'list'): Promise<void>;
  /** Starts a `consul lock`, and resolves once it holds or waits. */
  process(options: ProcessOptions): Promise<Contending>;
  /** Resolves with the entries below a prefix, once the condition holds. */
  rowsWhen(
    prefix: string,
    what: string,
    condition: (rows: readonly KvRow[]) => boolean,
  ): Promise<readonly KvRow[]>;
  /** The row of a key as the leader has it; `null`: there is none. */
  row(key: string): Promise<KvRow | null>;
  /** True once Consul no longer lists the session. */
  ended(sessionId: string): Promise<boolean>;
  /** Makes a thing once in this world, for rows that look at it at different times. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  /** A plain request to the agent, for checks, nodes and policies. */
  request(path: string, body?: unknown): Promise<unknown>;
  /** An additional agent of the world, by name. */
  agent(name: string): TestConsul;
}

export interface Contending {
  readonly process: ConsulLock;
  /** The process's session. */
  readonly id: string;
}

/** The interval of renewals: a little more than twice within a TTL, as clients renew. */
const renewEveryMs = 4_000;
/** Sessions with a longer TTL outlive the run without renewals. */
const renewedTtlMaxMs = 60_000;

export const bytes = (value: string | Buffer) => (typeof value === 'string' ? Buffer.from(value) : value);

interface StageOptions {
  readonly consul: TestConsul;
  readonly agents?: Readonly<Record<string, TestConsul>>;
}

/** A stage on an agent. `end` stops the renewals. */
export function setStage({ consul, agents = {} }: StageOptions): Stage & { end(): void } {
  const client = consul.client();
  const alive = new Set<string>();
  const made = new Map<string, Promise<unknown>>();
  const renewals = setInterval(() => {
    for (const id of alive)
      client.renewSession(id).then(
        (session) => session ?? alive.delete(id),
        // Without a leader no renewal succeeds, and the next round tries again.
        () => {},
      );
  }, renewEveryMs);

  const session = async ({
    name = '',
    ttlMs = 15_000,
    behavior = 'release',
    lockDelayMs = 15_000,
    checks,
    node,
    renewed = true,
  }: StageSession = {}) => {
    const id = await client.createSession({
      name,
      ttlMs,
      behavior,
      lockDelayMs,
      ...(checks === undefined ? {} : { checks }),
      ...(node === undefined ? {} : { node }),
    });
    if (renewed && ttlMs !== null && ttlMs <= renewedTtlMaxMs) alive.add(id);
    return id;
  };
  const lock: Stage['lock'] = async (key, holder, { value = '', flags = '0' } = {}) => {
    // A transaction takes keys that no path can name.
    const outcome = await client.txn([{ verb: 'lock', key, value: bytes(value), flags, session: holder }]);
    if (!outcome.done) throw new Error(`${key} could not be locked: ${JSON.stringify(outcome.errors)}`);
  };
  const put: Stage['put'] = async (key, value, flags = '0') => {
    const outcome = await client.txn([{ verb: 'set', key, value: bytes(value), flags }]);
    if (!outcome.done) throw new Error(`${key} could not be written: ${JSON.stringify(outcome.errors)}`);
  };
  const contender: Stage['contender'] = async (
    prefix,
    { flags = semaphoreFlags, value = '', ...options } = {},
  ) => {
    const id = await session({ behavior: 'delete', ...options });
    await lock(`${prefix}/${id}`, id, { flags, value });
    return id;
  };
  const entry: Stage['entry'] = (prefix, value, flags = semaphoreFlags) =>
    put(`${prefix}/.lock`, value, flags);
  const rowsWhen: Stage['rowsWhen'] = (prefix, what, condition) =>
    until(
      async () => {
        const { value } = await client.list(prefix, { consistency: 'consistent' });
        return condition(value) ? value : null;
      },
      { what: `${what} below ${prefix}`, timeoutMs: 45_000 },
    );

  return {
    consul,
    client,
    session,
    lock,
    put,
    contender,
    entry,
    rowsWhen,
    recorded: (prefix, limit, holders, shape = 'map') =>
      entry(prefix, newCoordination(shape, limit, holders), shape === 'map' ? semaphoreFlags : '0'),
    process: async ({ n, prefix, command = 'sleep 600', args = [], agent = consul }) => {
      const before = new Set((await client.sessions({ consistency: 'consistent' })).value.map((s) => s.id));
      const process = runConsulLock(agent, { n, prefix, command, args });
      // `consul lock` names its session after the prefix, which identifies its own.
      const id = await until(
        async () => {
          const { value } = await client.sessions({ consistency: 'consistent' });
          return value.find((s) => !before.has(s.id) && s.name.endsWith(` at '${prefix}'`))?.id;
        },
        { what: `consul lock on ${prefix}` },
      );
      return { process, id };
    },
    row: async (key) => (await client.get(key, { consistency: 'consistent' })).value,
    ended: async (sessionId) =>
      (await client.session(sessionId, { consistency: 'consistent' })).value === null,
    once: <T>(name: string, make: () => Promise<T>) => {
      const known = made.get(name) ?? make();
      made.set(name, known);
      return known as Promise<T>;
    },
    request: async (path, body) => {
      const response = await fetch(`http://${consul.address}/v1/${path}`, {
        method: 'PUT',
        headers: consul.token === null ? {} : { 'x-consul-token': consul.token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
    agent: (name) => {
      const found = agents[name];
      if (found === undefined) throw new Error(`This world has no agent ${name}.`);
      return found;
    },
    end: () => clearInterval(renewals),
  };
}
