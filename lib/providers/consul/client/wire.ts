/**
 * What Consul's HTTP API says, parsed. The wire's own words (`ModifyIndex`, `NodeChecks`) end here: everything
 * after this file uses `Row`, `SessionRow` and `CheckRow`.
 *
 * Flags are uint64 and pass through JavaScript as text: `readJson` quotes them before `JSON.parse` can round them,
 * `writeJson` prints them bare again, because `/v1/txn` accepts nothing but a JSON integer.
 */
import { z } from 'zod';
import { bareIntegers } from '@/lib/domain/by-hand/command';
import { finish, type Steps } from '@/lib/domain/steps';
import { parseDurationMs } from './duration';

/** One KV entry. An entry without a value and one with an empty value are alike. */
export interface Row {
  readonly key: string;
  /** The exact bytes. Of a row that was listed they are made at each asking: whoever copies a row names it (`{ ...row, value }`). */
  readonly value: Buffer;
  /** uint64 in decimal. */
  readonly flags: string;
  /** The session that locks the entry. */
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
  /** As Consul applies it: at most 60 s (`MaxLockDelay` in its state store), whatever the session says. */
  readonly lockDelayMs: number;
  /** Ids of the node and service checks whose failure ends the session. */
  readonly checkIds: readonly string[];
  readonly createIndex: string;
}

/** A health check of a node or of a service on it. */
export interface CheckRow {
  readonly node: string;
  readonly checkId: string;
  readonly name: string;
  readonly status: string;
  /** The service that it is about; '' for the node itself. */
  readonly service: string;
}

const index = z.union([z.number().int().nonnegative(), z.string().regex(/^\d+$/)]).transform(String);

const noValue = Buffer.alloc(0);
const digits = /^\d{1,20}$/;
/** Flags of fewer figures than JavaScript's whole numbers have come as numbers: see `readJson`. */
const exactDigits = 15;

function readFlags(value: unknown): string {
  if (typeof value === 'string' && digits.test(value)) return value;
  if (typeof value === 'number' && value >= 0 && value < 10 ** exactDigits && Number.isInteger(value))
    return String(value);
  throw new TypeError('The flags of a row are no exact number.');
}

function readIndex(value: unknown): string {
  // A number beyond these was rounded when it was parsed, and from 1e21 on it is not even printed in figures.
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  if (typeof value === 'string' && digits.test(value)) return value;
  throw new TypeError('A row has no index.');
}

/**
 * An entry of a list. Its value stays the text that Consul sent: as a buffer it weighs twice as much, of most entries nobody
 * asks for it, and the next list is compared with it. So are its indexes, which come as numbers: to read them from their
 * texts took half of that comparison.
 */
class ListedRow implements Row {
  constructor(
    readonly key: string,
    readonly base64: string,
    readonly flags: string,
    readonly session: string | null,
    readonly createIndex: string,
    readonly modifyIndex: string,
    readonly lockIndex: string,
    /** `createIndex` and `modifyIndex` as they came. */
    readonly created: number | string,
    readonly modified: number | string,
  ) {}

  get value(): Buffer {
    return this.base64 === '' ? noValue : Buffer.from(this.base64, 'base64');
  }
}

/** Characters of the stored value in base64. */
export const storedLength = (row: Row): number =>
  row instanceof ListedRow ? row.base64.length : 4 * Math.ceil(row.value.length / 3);

/** Texts that many entries have in common, each by itself: a parser makes as many of one as there are entries. */
type Shared = Map<string, string>;

function one(shared: Shared, text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  shared.set(text, text);
  return text;
}

/**
 * One KV entry. By hand, for a watch reads tens of thousands at a time: as a schema it took more than to fetch and to
 * parse them together. Throws a `TypeError` for anything that is no row.
 */
function readRow(raw: unknown, shared: Shared = new Map()): Row {
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

/** Whether the answer says of an entry what is known of it, its value as base64. */
function saysTheSame(raw: Readonly<Record<string, unknown>>, known: Row): boolean {
  return (
    known instanceof ListedRow &&
    raw.ModifyIndex === known.modified &&
    raw.CreateIndex === known.created &&
    raw.LockIndex === Number(known.lockIndex) &&
    String(raw.Flags) === known.flags &&
    (raw.Session ?? '') === (known.session ?? '') &&
    // The index alone does not tell: a server that was started without its data counts from the beginning.
    (raw.Value ?? '') === known.base64
  );
}

/**
 * The answer of a list; `undefined` and `null` are no rows. Throws a `TypeError` for anything else. `known`: the rows as
 * they were read before, sorted. Those that the answer says again are kept as the same objects, since to make all
 * of them anew costs more than to parse them, and then again to collect.
 */
export const readRows = (body: unknown, known: readonly Row[] = []): Row[] =>
  finish(readingRows(body, known));

/** Rows that are read while one is judged. */
const readAtOnce = 100;

/** As `readRows`. */
export function* readingRows(body: unknown, known: readonly Row[]): Steps<Row[]> {
  if (body === undefined || body === null) return [];
  if (!Array.isArray(body)) throw new TypeError('A list of rows is no list.');
  const shared: Shared = new Map();
  let at = 0;
  // A loop without a call for each, and a list without room to grow: this is a third of what a change costs among 1,000 rows.
  const rows = new Array<Row>(body.length);
  for (let i = 0; i < body.length; i += 1) {
    if (i % readAtOnce === 0) yield 1;
    const raw: unknown = body[i];
    const key = (raw as { Key?: unknown } | null)?.Key;
    // Whether two texts are the same is told sooner than their order, and nearly all of these are.
    if (typeof key === 'string' && known[at]?.key !== key)
      for (; at < known.length && (known[at] as Row).key < key; at += 1);
    const was = known[at];
    const met = was !== undefined && was.key === key;
    if (met) at += 1;
    rows[i] = met && saysTheSame(raw as Record<string, unknown>, was) ? was : readRow(raw, shared);
  }
  return rows;
}

const areNames = (body: unknown) => Array.isArray(body) && body.every((name) => typeof name === 'string');
const names = z.custom<string[]>(areNames, 'Names were expected.');
/** The answer of a list of keys, which may be of a whole store: a schema for each of 250,000 took 120 ms. Throws for anything else. */
export const readNames = (body: unknown): string[] => names.parse(body ?? []);

/** For a row within something larger. */
export const rowSchema = z.unknown().transform((raw, context): Row => {
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
    // Before 1.7 one list `Checks`; since then node and service checks apart, and `Checks` beside them as the client
    // asked for it: any of them ends the session.
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
 * Reads lists of sessions. A session never changes after it was made, so that one that was in the last list is taken as it
 * was; a thousand of them are parsed for each lock that is released otherwise. Throws for anything but a list of sessions.
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

/** `/v1/agent/self` as far as the console needs it. */
export const selfSchema = z
  .object({ Config: z.object({ Datacenter: z.string(), NodeName: z.string(), Version: z.string() }) })
  .transform(({ Config }) => ({
    datacenter: Config.Datacenter,
    node: Config.NodeName,
    version: Config.Version,
  }));

/** One operation of a transaction. `value` is exact bytes, `flags` a uint64 in decimal, indexes likewise. */
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

/** Verbs that only ask: a transaction of these alone changes nothing, whatever becomes of its answer. */
const asking: ReadonlySet<TxnOp['verb']> = new Set([
  'get',
  'get-tree',
  'check-index',
  'check-session',
  'check-not-exists',
]);

export const isWrite = ({ verb }: TxnOp): boolean => !asking.has(verb);

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
 * `JSON.parse` that keeps `Flags` exact: those that a JavaScript number could not hold come as text. Inside a JSON
 * string every quote is escaped, so the pattern can only meet a real member; values are base64 in KV answers.
 * White space: `consul agent -dev` indents its JSON.
 */
export const readJson = (body: Buffer): unknown => parseExact(body.toString('utf8'));

export const parseExact = (text: string): unknown =>
  JSON.parse(text.replace(/"Flags":(\s*)(\d{16,})/g, '"Flags":$1"$2"'));

/** The JSON that Consul takes: see `bareIntegers`. */
export const writeJson = (value: unknown): Buffer => Buffer.from(bareIntegers(JSON.stringify(value)), 'utf8');
