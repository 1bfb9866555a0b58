/**
 * The one importer of the `consul` package. It adds exact flags (`wire.ts`), parsed replies, index and freshness
 * headers, a timeout on every call, bounded sockets, and one family of errors. A `false` stays `false`, which the
 * package makes `undefined`. A failed compare-and-set is a value, not an error.
 */
import { setMaxListeners } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import Consul from 'consul';
import { z } from 'zod';
import { runInSlices } from '@/lib/domain/sliced-work';
import { type Ask, asksBody, readAnswers, type TokenRow, tokenSchema } from './acl';
import { formatDuration } from './duration';
import { ConsulError, readTxnErrors } from './errors';
import { readBody, readingLists, readList } from './large-body';
import { longAnswers } from './long-answer';
import {
  body,
  type Call,
  type LongRead,
  type Package,
  type PackageRequest,
  packageOf,
  readEntry,
  readLongAnswer,
} from './package';
import { noneFor404, type ReadOptions, type Reply, type SessionRequest } from './reply';
import { type CallOptions, callTimeoutMs, figures, header, listOf, parsed, parsedInSlices, run } from './run';
import type { ConsulSettings } from './settings';
import { openSockets, type Sockets } from './sockets';
import { type Strays, type Stretch, straysIn } from './sorted-names';
import {
  type CheckRow,
  checkSchema,
  createSessionReader,
  isWrite,
  type KvRow,
  nodeSchema,
  readingRows,
  readNames,
  readRows,
  type SessionRow,
  selfSchema,
  sessionSchema,
  type TxnOp,
  txnBody,
  txnResultSchema,
} from './wire';

export type { ReadOptions, Reply, SessionRequest } from './reply';

/** Consul wrote nothing. One row per operation at fault. */
export interface TxnRefusal {
  readonly done: false;
  readonly errors: readonly { readonly op: number; readonly what: string }[];
}
export type TxnOutcome = { readonly done: true; readonly rows: readonly KvRow[] } | TxnRefusal;

export interface ConsulClient {
  readonly settings: ConsulSettings;
  /**
   * Every entry below a string prefix ('' for all), sorted. `known`: the rows of an earlier read, which stay the same
   * objects where unchanged.
   */
  list(
    prefix: string,
    options?: ReadOptions & { readonly known?: readonly KvRow[] },
  ): Promise<Reply<readonly KvRow[]>>;
  keys(prefix: string, options?: ReadOptions): Promise<Reply<string[]>>;
  /** The names of keys below a string prefix that lie in no known stretch. `known`: called when the answer has come. */
  strays(prefix: string, known: () => readonly Stretch[], options?: ReadOptions): Promise<Reply<Strays>>;
  get(key: string, options?: ReadOptions): Promise<Reply<KvRow | null>>;
  /** False: another session holds it, or a lock-delay runs. Throws for an ended session. */
  acquire(
    write: { key: string; value: Buffer; flags: string; session: string },
    options?: CallOptions,
  ): Promise<boolean>;
  /** False: this session did not hold it. Replaces value and flags, so pass the present ones. */
  release(
    write: { key: string; value: Buffer; flags: string; session: string },
    options?: CallOptions,
  ): Promise<boolean>;
  /** Index '0' creates only. False: the entry moved. */
  cas(
    write: { key: string; value: Buffer; flags: string; index: string },
    options?: CallOptions,
  ): Promise<boolean>;
  /** True also for an absent entry. */
  deleteCas(key: string, index: string, options?: CallOptions): Promise<boolean>;
  /** All or nothing; at most 64 operations (128 since Consul 1.14). */
  txn(ops: readonly TxnOp[], options?: CallOptions): Promise<TxnOutcome>;
  sessions(options?: ReadOptions): Promise<Reply<readonly SessionRow[]>>;
  session(id: string, options?: ReadOptions): Promise<Reply<SessionRow | null>>;
  createSession(request: SessionRequest, options?: CallOptions): Promise<string>;
  /** `null` if it has ended. */
  renewSession(id: string, options?: CallOptions): Promise<SessionRow | null>;
  /** Succeeds for an ended session, too. */
  destroySession(id: string, options?: CallOptions): Promise<void>;
  nodes(options?: ReadOptions): Promise<Reply<string[]>>;
  /** The nodes with the service `consul`. An empty list means that the token may not see them. */
  servers(options?: ReadOptions): Promise<Reply<string[]>>;
  checks(options?: ReadOptions): Promise<Reply<CheckRow[]>>;
  /** The agent itself, even for another datacenter. Needs `agent:read`. */
  self(options?: CallOptions): Promise<{ datacenter: string; node: string; version: string }>;
  /** The leader that the agent knows; `null`: none. Cheap, and requires no right. */
  leader(options?: CallOptions): Promise<string | null>;
  /** The client's own token. Status 401 where ACLs are off, 403 for an unknown token, or for none. */
  token(options?: CallOptions): Promise<TokenRow>;
  /** The answers in the order of the questions, at most `asksMax`. Status 401 where ACLs are off. */
  authorize(asks: readonly Ask[], options?: CallOptions): Promise<boolean[]>;
  /** Ends every call, long polls included. */
  close(): void;
}

const service = { service: 'consul' };
/** Making a schema costs more than the call whose answer it reads. */
const createdSchema = z.object({ ID: z.string() });

/** Consul adds up to a sixteenth to a wait; the slack covers the transfer of the body. */
const blockSlackMs = 5_000;

const makePackage = (options: object) => new Consul(options as never) as unknown as Package;

/**
 * A client for one address and one token. `maxPolls` bounds connections of blocking queries, `maxCalls` those of other
 * calls. `sockets` replaces both, and stays open when the client closes. Close the client when done.
 */
export function createConsulClient(
  settings: ConsulSettings,
  {
    maxPolls = 40,
    maxCalls = 8,
    sockets,
  }: { maxPolls?: number; maxCalls?: number; sockets?: Pick<Sockets, 'polls' | 'calls'> } = {},
): ConsulClient {
  const own = sockets === undefined ? openSockets(settings, { polls: maxPolls, calls: maxCalls }) : null;
  const { polls: pollSockets, calls: callSockets } = sockets ?? (own as Sockets);
  const polls = packageOf(settings, pollSockets, makePackage);
  const calls = packageOf(settings, callSockets, makePackage);
  const place = settings.datacenter === undefined ? {} : { dc: settings.datacenter };
  const forAll = { ...(settings.token === null ? {} : { token: settings.token }), ...place };
  const readSessions = readingLists(createSessionReader());
  const closing = new AbortController();
  // Every call under way listens. Node would report a leak.
  setMaxListeners(0, closing.signal);
  const ends = { closing: closing.signal, remote: settings.datacenter ?? null };

  async function read<T>(
    name: string,
    pick: (consul: Package) => Call,
    request: PackageRequest,
    parse: (body: unknown) => T | Promise<T>,
    { consistency = 'default', block, signal, timeoutMs, onHead }: ReadOptions = {},
    unread = false,
  ): Promise<Reply<T>> {
    const [response, answer] = await run({
      name,
      call: pick(block === undefined ? calls : polls),
      request: {
        ...forAll,
        ...request,
        ...(consistency === 'default' ? {} : { [consistency]: true }),
        ...(block === undefined ? {} : { index: block.index, wait: formatDuration(block.waitMs) }),
      },
      options: {
        ...(signal === undefined ? {} : { signal }),
        ...(onHead === undefined ? {} : { onHead }),
        timeoutMs: timeoutMs ?? (block === undefined ? callTimeoutMs : block.waitMs * 1.0625 + blockSlackMs),
      },
      unread,
      write: false,
      ...ends,
    });
    const contact = figures(response, 'x-consul-lastcontact');
    const leader = header(response, 'x-consul-knownleader');
    return {
      value: await parsedInSlices(name, parse, answer),
      index: figures(response, 'x-consul-index'),
      lastContactMs: contact === null ? null : Number(contact),
      knownLeader: leader === null ? null : leader === 'true',
      filtered: header(response, 'x-consul-results-filtered-by-acls') === 'true',
    };
  }

  const longAnswer = longAnswers();

  async function readLong<T>(
    what: LongRead,
    key: string,
    parse: (body: unknown) => T | Promise<T>,
    options?: ReadOptions,
  ): Promise<Reply<T>> {
    const answer = longAnswer(`${what} ${key}`);
    const parseBytes = (bytes: unknown) => parse(Buffer.isBuffer(bytes) ? readBody(bytes) : bytes);
    const call = (c: Package) => (r: PackageRequest) => readLongAnswer(answer, c, r, what, settings.token);
    let whole = false;
    try {
      const reply = await read(what, call, { key }, parseBytes, options);
      whole = true;
      return reply;
    } finally {
      answer.release(whole);
    }
  }

  const ask = async (
    name: string,
    call: Call,
    options: CallOptions = {},
    request: PackageRequest = {},
    write = false,
  ) => (await run({ name, call, request: { ...forAll, ...request }, options, write, ...ends }))[1];
  const write = (name: string, call: Call, request: PackageRequest, options?: CallOptions) =>
    ask(name, call, options, request, true);
  /** The package has no method for these requests, so path and token are set here. */
  const plain = (path: string, request: PackageRequest): PackageRequest => ({
    ...request,
    path,
    headers: settings.token === null ? {} : { 'x-consul-token': settings.token },
    query: place,
  });

  return {
    settings,
    list: (prefix, { known = [], ...options } = {}) =>
      readLong(
        'kv list',
        prefix,
        (body) => readList(body, known, (raw) => runInSlices(readingRows(raw, known), yieldToEventLoop)),
        options,
      ),
    keys: (prefix, options) =>
      read('kv keys', (c) => (r) => c.kv.keys(r), { key: prefix }, readNames, options).catch(
        noneFor404<string[]>([]),
      ),
    strays: (prefix, known, options) =>
      readLong('kv keys', prefix, (body) => straysIn(body, known()), options).catch(
        noneFor404<Strays>({ any: false, names: [] }),
      ),
    get: (key, options) =>
      read(
        'kv get',
        (c) => (r) => readEntry(c, r, settings.token),
        { key },
        (body) => readRows(body)[0] ?? null,
        options,
      ),
    acquire: async ({ key, value, flags, session }, options) =>
      (await write(
        'kv acquire',
        (r) => calls.kv.set(r),
        { key, value, flags, acquire: session },
        options,
      )) === true,
    release: async ({ key, value, flags, session }, options) =>
      (await write(
        'kv release',
        (r) => calls.kv.set(r),
        { key, value, flags, release: session },
        options,
      )) === true,
    cas: async ({ key, value, flags, index }, options) =>
      (await write('kv cas', (r) => calls.kv.set(r), { key, value, flags, cas: index }, options)) === true,
    deleteCas: async (key, index, options) =>
      (await write('kv delete', (r) => calls.kv.del(r), { key, cas: index }, options)) === true,
    txn: async (ops, options = {}) => {
      const writes = ops.some(isWrite);
      try {
        const body = await ask('txn', (r) => calls.transaction.create(txnBody(ops), r), options, {}, writes);
        const { Results } = parsed('txn', (b) => txnResultSchema.parse(b), body, writes);
        return { done: true, rows: (Results ?? []).flatMap((result) => (result.KV ? [result.KV] : [])) };
      } catch (error) {
        if (!(error instanceof ConsulError) || error.status !== 409) throw error;
        return { done: false, errors: parsed('txn', readTxnErrors, error.body, writes) };
      }
    },
    sessions: (options) =>
      read('session list', (c) => (r) => c.session.list(r), {}, readSessions, options, true),
    session: (id, options) =>
      read(
        'session info',
        (c) => (r) => c.session.info(r),
        { id },
        (body) => (body === undefined ? null : sessionSchema.parse(body)),
        options,
      ),
    createSession: async ({ name, ttlMs, behavior, lockDelayMs, checks, node }, options) => {
      const body = await write(
        'session create',
        (r) => calls.session.create(r),
        {
          name,
          behavior,
          lockdelay: formatDuration(lockDelayMs),
          ...(ttlMs === null ? {} : { ttl: formatDuration(ttlMs) }),
          ...(checks === undefined ? {} : { checks }),
          ...(node === undefined ? {} : { node }),
        },
        options,
      );
      return parsed('session create', (b) => createdSchema.parse(b).ID, body, true);
    },
    renewSession: async (id, options) => {
      try {
        const body = await write('session renew', (r) => calls.session.renew(r), { id }, options);
        return parsed('session renew', (b) => z.array(sessionSchema).parse(b)[0] ?? null, body, true);
      } catch (error) {
        if (error instanceof ConsulError && error.status === 404) return null;
        throw error;
      }
    },
    destroySession: async (id, options) => {
      await write('session destroy', (r) => calls.session.destroy(r), { id }, options);
    },
    nodes: (options) =>
      read('catalog nodes', (c) => (r) => c.catalog.node.list(r), {}, listOf(nodeSchema), options),
    servers: (options) =>
      read('servers', (c) => (r) => c.catalog.service.nodes(r), service, listOf(nodeSchema), options),
    checks: (options) =>
      read('health state', (c) => (r) => c.health.state(r), { state: 'any' }, listOf(checkSchema), options),
    self: async (options) =>
      parsed(
        'agent self',
        (b) => selfSchema.parse(b),
        await ask('agent self', (r) => calls.agent.self(r), options),
      ),
    leader: async (options) => {
      const leader = await ask('status leader', (r) => calls.status.leader(r), options);
      return typeof leader === 'string' && leader !== '' ? leader : null;
    },
    token: async (options) =>
      parsed(
        'token self',
        (b) => tokenSchema.parse(b),
        await ask('token self', (r) => calls._get(plain('/acl/token/self', r), body), options),
      ),
    authorize: async (asks, options) => {
      const request = (r: PackageRequest) => ({
        ...plain('/internal/acl/authorize', r),
        body: asksBody(asks),
      });
      const answer = await ask('acl authorize', (r) => calls._post(request(r), body), options);
      return parsed('acl authorize', (b) => readAnswers(asks, b), answer);
    },
    close: () => {
      closing.abort();
      own?.close();
    },
  };
}
