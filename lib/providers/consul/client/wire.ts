/**
 * Parses Consul's HTTP API. The wire's words (`ModifyIndex`, `NodeChecks`) end here.
 *
 * Flags are uint64 and stay text. `readJson` quotes them before `JSON.parse` can round them. `writeJson` prints them
 * bare again, because `/v1/txn` accepts only a JSON integer.
 */
import { z } from 'zod';
import { bareIntegers } from '@/lib/domain/by-hand/command';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import { parseDurationMs } from './duration';

/** One KV entry. An absent value and an empty one are alike. */
export interface KvRow {
  readonly key: string;
  /**
   * The exact bytes. A listed row decodes them at each access, and a spread omits them: copy as `{ ...row, value }`.
   */
  readonly value: Buffer;
  /** uint64 in decimal. */
  readonly flags: string;
  readonly session: string | null;
  readonly createIndex: string;
  readonly modifyIndex: string;
  /** Counts acquisitions; a plain write sets it to 0. */
  readonly lockIndex: string;
}

export interface SessionRow {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  /** `null`: no TTL. */
  readonly ttlMs: number | null;
  readonly behavior: 'release' | 'delete';
  /** The lock-delay that Consul applies, at most 60 s (`MaxLockDelay` in its state store). */
  readonly lockDelayMs: number;
  /** Node and service checks whose failure ends the session. */
  readonly checkIds: readonly string[];
  readonly createIndex: string;
}

export interface CheckRow {
  readonly node: string;
  readonly checkId: string;
  readonly name: string;
  readonly status: string;
  /** '' for the node itself. */
  readonly service: string;
}

const index = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)]).transform(String);

const noValue = Buffer.alloc(0);
const digits = /^\d{1,20}$/;
/** Flags with at most this many digits arrive as numbers (`readJson`). */
const exactDigits = 15;

function readFlags(value: unknown): string {
  if (typeof value === 'string' && digits.test(value)) return value;
  if (typeof value === 'number' && value >= 0 && value < 10 ** exactDigits && Number.isInteger(value))
    return String(value);
  throw new TypeError('The flags of a row are no exact number.');
}

function readIndex(value: unknown): string {
  // A larger number was rounded in parsing.
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  if (typeof value === 'string' && digits.test(value)) return value;
  throw new TypeError('A row has no index.');
}

/**
 * An entry of a list. Its value stays Consul's text, because a buffer weighs twice as much, few values are used, and
 * the next list is compared as text.
 */
class ListedRow implements KvRow {
  constructor(
    readonly key: string,
    readonly base64: string,
    readonly flags: string,
    readonly session: string | null,
    readonly createIndex: string,
    readonly modifyIndex: string,
    readonly lockIndex: string,
    readonly created: number | string,
    readonly modified: number | string,
  ) {}

  get value(): Buffer {
    return this.base64 === '' ? noValue : Buffer.from(this.base64, 'base64');
  }
}

export const storedLength = (row: KvRow): number =>
  row instanceof ListedRow ? row.base64.length : 4 * Math.ceil(row.value.length / 3);

/** One copy of each text that many entries share, because the parser makes one per entry. */
type Shared = Map<string, string>;

function one(shared: Shared, text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  shared.set(text, text);
  return text;
}

/**
 * Parses one KV entry by hand, because a schema for tens of thousands takes longer than fetching them. Throws a
 * `TypeError` for anything else.
 */
function readRow(raw: unknown, shared: Shared = new Map()): KvRow {
  if (typeof raw !== 'object' || raw === null) throw new TypeError('A row is no object.');
  const row = raw as Readonly<Record<string, unknown>>;
  const { Key: key, Value: value = null, Session: session = '' } = row;
  if (typeof key !== 'string') throw new TypeError('A row has no key.');
  if (typeof session !== 'string') throw new TypeError('The session of a row is no text.');
  if (value !== null && typeof value !== 'string' && !Buffer.isBuffer(value))
    throw new TypeError('The value of a row is no text.');
  const flags = one(shared, readFlags(row.Flags));
  const lockedBy = session === '' ? null : one(shared, session);
  const createIndex = readIndex(row.CreateIndex);
  // Most entries were never changed.
  const modifyIndex = row.ModifyIndex === row.CreateIndex ? createIndex : readIndex(row.ModifyIndex);
  const lockIndex = one(shared, readIndex(row.LockIndex));
  if (Buffer.isBuffer(value))
    return { key, value, flags, session: lockedBy, createIndex, modifyIndex, lockIndex };
  return new ListedRow(
    key,
    value ?? '',
    flags,
    lockedBy,
    createIndex,
    modifyIndex,
    lockIndex,
    row.CreateIndex as number | string,
    row.ModifyIndex as number | string,
  );
}

function saysTheSame(raw: Readonly<Record<string, unknown>>, known: KvRow): boolean {
  return (
    known instanceof ListedRow &&
    raw.ModifyIndex === known.modified &&
    raw.CreateIndex === known.created &&
    raw.LockIndex === Number(known.lockIndex) &&
    String(raw.Flags) === known.flags &&
    (raw.Session ?? '') === (known.session ?? '') &&
    // The index is no proof: a server that starts without its data counts from the beginning.
    (raw.Value ?? '') === known.base64
  );
}

/**
 * The answer of a list; `undefined` and `null` are no rows. Throws a `TypeError` for anything else. `known`: the rows
 * of the earlier read, sorted; repeated rows stay the same objects.
 */
export const readRows = (body: unknown, known: readonly KvRow[] = []): KvRow[] =>
  finish(readingRows(body, known));

const readAtOnce = 100;

/** As `readRows`, in steps. */
export function* readingRows(body: unknown, known: readonly KvRow[]): Steps<KvRow[]> {
  if (body === undefined || body === null) return [];
  if (!Array.isArray(body)) throw new TypeError('A list of rows is no list.');
  const shared: Shared = new Map();
  let at = 0;
  // This hot path avoids a call per row.
  const rows = new Array<KvRow>(body.length);
  for (let i = 0; i < body.length; i += 1) {
    if (i % readAtOnce === 0) yield 1;
    const raw: unknown = body[i];
    const key = (raw as { Key?: unknown } | null)?.Key;
    // Equality is cheaper than order, and nearly all keys are equal.
    if (typeof key === 'string' && known[at]?.key !== key)
      for (; at < known.length && (known[at] as KvRow).key < key; at += 1);
    const was = known[at];
    const met = was !== undefined && was.key === key;
    if (met) at += 1;
    rows[i] = met && saysTheSame(raw as Record<string, unknown>, was) ? was : readRow(raw, shared);
  }
  return rows;
}

const areNames = (body: unknown) => Array.isArray(body) && body.every((name) => typeof name === 'string');
const names = z.custom<string[]>(areNames, 'Names were expected.');
/** Reads key names, perhaps of a whole store, for which a schema per name is too slow. Throws for anything else. */
export const readNames = (body: unknown): string[] => names.parse(body ?? []);

/** For a row within a larger answer. */
export const rowSchema = z.unknown().transform((raw, context): KvRow => {
  try {
    return readRow(raw);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

const lockDelayMaxMs = 60_000;
const checkNames = z.array(z.string()).nullish();

export const sessionSchema = z
  .object({
    ID: z.string(),
    Name: z.string().nullish(),
    Node: z.string(),
    LockDelay: z.union([z.number(), z.string()]).nullish(),
    Behavior: z.string().nullish(),
    TTL: z.string().nullish(),
    // Before 1.7 one list `Checks`; since then node and service checks are separate. A failure in any list ends the
    // session.
    Checks: checkNames,
    NodeChecks: checkNames,
    ServiceChecks: z.array(z.object({ ID: z.string() })).nullish(),
    CreateIndex: index,
  })
  .transform(
    (row): SessionRow => ({
      id: row.ID,
      name: row.Name ?? '',
      node: row.Node,
      ttlMs: parseDurationMs(row.TTL ?? '') || null,
      behavior: row.Behavior === 'delete' ? 'delete' : 'release',
      lockDelayMs: Math.min(parseDurationMs(row.LockDelay ?? 0) ?? 0, lockDelayMaxMs),
      checkIds: [
        ...new Set([
          ...(row.NodeChecks ?? []),
          ...(row.Checks ?? []),
          ...(row.ServiceChecks ?? []).map((check) => check.ID),
        ]),
      ],
      createIndex: row.CreateIndex,
    }),
  );

/**
 * Keeps the sessions of the last list, which never change, so that each release of a lock does not parse a thousand of
 * them. Throws for anything but a list of sessions.
 */
export function createSessionReader(): (body: unknown) => SessionRow[] {
  let known = new Map<string, SessionRow>();
  return (body) => {
    const rows = z
      .array(z.unknown())
      .parse(body ?? [])
      .map((raw) => {
        const { ID, CreateIndex, Node } = (raw ?? {}) as Record<string, unknown>;
        const was = known.get(String(ID));
        return was !== undefined && was.createIndex === String(CreateIndex) && was.node === Node
          ? was
          : sessionSchema.parse(raw);
      });
    known = new Map(rows.map((row) => [row.id, row]));
    return rows;
  };
}

const text = z.string();
export const checkSchema = z
  .object({ Node: text, CheckID: text, Name: text, Status: text, ServiceName: text.nullish() })
  .transform(
    ({ Node: node, CheckID: checkId, Name: name, Status: status, ServiceName }): CheckRow => ({
      ...{ node, checkId, name, status },
      service: ServiceName ?? '',
    }),
  );

export const nodeSchema = z.object({ Node: z.string() }).transform((row) => row.Node);

/** The part of `/v1/agent/self` in use. */
export const selfSchema = z
  .object({ Config: z.object({ Datacenter: z.string(), NodeName: z.string(), Version: z.string() }) })
  .transform(({ Config }) => ({
    datacenter: Config.Datacenter,
    node: Config.NodeName,
    version: Config.Version,
  }));

/** `value` is exact bytes; `flags` and indexes are uint64 in decimal. */
export type TxnOp =
  | { readonly verb: 'set'; readonly key: string; readonly value: Buffer; readonly flags: string }
  | {
      readonly verb: 'cas';
      readonly key: string;
      readonly value: Buffer;
      readonly flags: string;
      readonly index: string;
    }
  | {
      readonly verb: 'lock' | 'unlock';
      readonly key: string;
      readonly value: Buffer;
      readonly flags: string;
      readonly session: string;
    }
  | { readonly verb: 'delete-cas' | 'check-index'; readonly key: string; readonly index: string }
  | { readonly verb: 'check-session'; readonly key: string; readonly session: string }
  | { readonly verb: 'get' | 'get-tree' | 'check-not-exists'; readonly key: string };

/** A transaction of these verbs alone changes nothing. */
const readVerbs: ReadonlySet<TxnOp['verb']> = new Set([
  'get',
  'get-tree',
  'check-index',
  'check-session',
  'check-not-exists',
]);

export const isWrite = ({ verb }: TxnOp): boolean => !readVerbs.has(verb);

/** The body of `PUT /v1/txn`. `Flags` and `Index` are quoted decimals here; `writeJson` prints them bare. */
export function txnBody(ops: readonly TxnOp[]): object[] {
  return ops.map((op) => ({
    KV: {
      Verb: op.verb,
      Key: op.key,
      ...('value' in op ? { Value: op.value.toString('base64'), Flags: op.flags } : {}),
      ...('index' in op ? { Index: op.index } : {}),
      ...('session' in op ? { Session: op.session } : {}),
    },
  }));
}

export const txnResultSchema = z.object({
  Results: z.array(z.object({ KV: rowSchema.nullish() })).nullish(),
});

/**
 * `JSON.parse` with exact `Flags`: those beyond a JavaScript number become text. Quotes within a JSON string are
 * escaped, so the pattern matches only a real member. `consul agent -dev` indents its JSON.
 */
export const readJson = (body: Buffer): unknown => parseExact(body.toString('utf8'));

export const parseExact = (text: string): unknown =>
  JSON.parse(text.replace(/"Flags":(\s*)(\d{16,})/g, '"Flags":$1"$2"'));

export const writeJson = (value: unknown): Buffer => Buffer.from(bareIntegers(JSON.stringify(value)), 'utf8');
