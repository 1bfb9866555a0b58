/** Reads a name and its companions in one go, bounded, so that they fit together. */
import { failed, problemOfAnswer } from './failure';
import { type Link, soundOf } from './link';
import * as names from './names';
import { type Argument, type Command, listOf, type RedisNode, Refused, type Reply, textOf } from './node';
import { sharesSlot } from './slot';

/** What is read of one name: a hash and what stands beside a lock, or a number and what stands beside a semaphore. */
export type ReadAs = 'lock' | 'number';

export interface Asked {
  readonly name: string;
  readonly as: ReadAs;
  /** Of a lock: whether it is known to have a queue or a token. Most have neither, and each costs a command. */
  readonly queue: boolean;
  readonly token: boolean;
  /** Known to be one of ours, or asked for more: else a few fields are enough to tell. */
  readonly wide: boolean;
}

export interface PermitRead {
  /** 16 raw bytes, or 32 hex digits of Redisson before 3.17. */
  readonly id: Buffer;
  /** Epoch milliseconds by the client's clock, as Redis writes it. */
  readonly score: string;
}

export interface NameRead {
  readonly name: string;
  /** As `TYPE` says; `none`: there is no such key; `other`: no hash, where it was read as a lock. */
  readonly type: string;
  /** Until the key ends; `null`: never. */
  readonly ttlMs: number | null;
  /** In the order of Redis; at most about a thousand. */
  readonly fields: readonly (readonly [field: string, value: string])[];
  /** Some of it was left out, because there is more than is read. */
  readonly cut: boolean;
  /** The first bytes of a string, and how many it has; `null`: it is none. */
  readonly text: Buffer | null;
  readonly textBytes: number;
  /** Of a fenced lock. */
  readonly token: string | null;
  /** Of a fair lock, first come first. */
  readonly queue: readonly string[];
  /** Until when each in the queue is presumed to live, by its client's clock. */
  readonly queueEnds: ReadonlyMap<string, number>;
  readonly permits: readonly PermitRead[];
  /** Also of those that were not read. */
  readonly permitsCount: number;
  /** By reader of a read-write lock, how long its longest hold lasts; `null`: it has none, or never ends (see `holds`). */
  readonly readHolds: ReadonlyMap<string, ReadHold>;
  /** Epoch milliseconds of this machine, in the middle of the reading, and how far off that may be either way. */
  readonly atMs: number;
  readonly slackMs: number;
  /** Epoch milliseconds of Redis then. */
  readonly serverMs: number;
}

export interface ReadHold {
  /** `unknown`: it may not be read. */
  readonly state: 'runs' | 'over' | 'endless' | 'unknown';
  readonly ttlMs: number | null;
}

const partsMax = 1_000;
/** Of somebody else's hash, whose values may be large. */
const glimpse = 4;
const textBytesMax = 128;
/** A lock is taken again and again by one thread at most this often, as far as its single holds are read. */
const holdsMax = 32;
const readersMax = 64;

const last = String(partsMax - 1);

/** `alone`: in a cluster its companions may be on other servers, so that Redisson cannot have made any. */
interface AskedThere extends Asked {
  readonly alone: boolean;
}

const askedOn = (link: Link, query: Asked): AskedThere =>
  link.clustered && !sharesSlot(query.name)
    ? { ...query, queue: false, token: false, alone: true }
    : { ...query, alone: false };

/** Not in one step of the server: whatever changes between is told, and read again. */
const lockCommands = ({ name, queue, token, wide }: Asked): readonly Command[] => [
  ['HSCAN', name, '0', 'COUNT', String(wide ? partsMax : glimpse)],
  ['PTTL', name],
  ...(queue
    ? [
        ['LRANGE', names.queueKey(name), '0', last],
        ['ZRANGE', names.queueTimesKey(name), '0', last, 'WITHSCORES'],
      ]
    : []),
  ...(token ? [['GETRANGE', names.fencingKey(name), '0', '31']] : []),
];

/** In one step: what is free and what is taken make the limit only together. */
const numberCommands = ({ name, alone }: AskedThere): readonly Command[] => [
  ['MULTI'],
  ['TYPE', name],
  ['PTTL', name],
  ['GETRANGE', name, '0', String(textBytesMax - 1)],
  ['STRLEN', name],
  ...(alone
    ? []
    : [
        ['ZRANGE', names.permitsKey(name), '0', last, 'WITHSCORES'],
        ['ZCARD', names.permitsKey(name)],
      ]),
  ['EXEC'],
];

const numberOf = (reply: Reply | undefined, other: number): number =>
  typeof reply === 'number' ? reply : other;

function pairsOf(flat: readonly Reply[]): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) pairs.push([textOf(flat[i]), textOf(flat[i + 1])]);
  return pairs;
}

const otherType = 'other';

type Moment = Pick<NameRead, 'atMs' | 'slackMs' | 'serverMs'>;

/** Of a name of which no more was found, or asked. */
export const nothingRead = {
  fields: [],
  text: null,
  textBytes: 0,
  token: null,
  queue: [] as readonly string[],
  queueEnds: new Map<string, number>(),
  permits: [] as readonly PermitRead[],
  permitsCount: 0,
  readHolds: new Map<string, ReadHold>(),
};

function lockRead(query: Asked, replies: readonly Reply[], moment: Moment): NameRead {
  const [scanned, ttl] = replies;
  const [queue, ends] = query.queue ? replies.slice(2) : [];
  const token = textOf(query.token ? replies.at(-1) : undefined);
  const [cursor, flat] = listOf(scanned);
  const fields = pairsOf(listOf(flat));
  const ttlMs = numberOf(ttl, -2);
  const cut = textOf(cursor) !== '0' && textOf(cursor) !== '';
  // Spelled out: this is made for every lock, and to spread objects into one costs several times as much.
  return {
    atMs: moment.atMs,
    slackMs: moment.slackMs,
    serverMs: moment.serverMs,
    name: query.name,
    // A key of another kind refuses the question. Redis keeps no empty hash.
    type: scanned instanceof Refused ? otherType : fields.length === 0 && !cut ? 'none' : 'hash',
    ttlMs: ttlMs < 0 ? null : ttlMs,
    fields,
    cut,
    text: null,
    textBytes: 0,
    permits: nothingRead.permits,
    permitsCount: 0,
    readHolds: nothingRead.readHolds,
    token: /^\d{1,20}$/.test(token) ? token : null,
    queue: query.queue ? listOf(queue).map(textOf) : nothingRead.queue,
    queueEnds: query.queue
      ? new Map(
          listOf(ends).map((pair) => {
            const [waiter, score] = listOf(pair);
            return [textOf(waiter), Number(textOf(score))];
          }),
        )
      : nothingRead.queueEnds,
  };
}

function numberRead(name: string, replies: readonly Reply[], moment: Moment): NameRead {
  const [type, ttl, text, bytes, permits, count] = replies;
  const permitsRead = listOf(permits).flatMap((pair) => {
    const [id, score] = listOf(pair);
    return Buffer.isBuffer(id) ? [{ id, score: textOf(score) }] : [];
  });
  const permitsCount = numberOf(count, permitsRead.length);
  return {
    ...nothingRead,
    ...moment,
    name,
    type: textOf(type),
    ttlMs: numberOf(ttl, -2) < 0 ? null : numberOf(ttl, 0),
    text: textOf(type) === 'string' && Buffer.isBuffer(text) ? text : null,
    textBytes: numberOf(bytes, 0),
    cut: permitsCount > permitsRead.length,
    permits: permitsRead,
    permitsCount,
  };
}

/** The keys of a reader's single holds, for the readers that the hash names. */
function holdKeys({ name, fields }: NameRead): readonly (readonly [reader: string, key: string])[] {
  if (!fields.some(([field]) => field === 'mode')) return [];
  return fields
    .flatMap(([field, value]) => {
      const id = names.redissonIdOf(field);
      const holds = Math.min(holdsMax, Math.max(1, Number(value) || 1));
      return id === null || id.writer ? [] : [{ field, holds }];
    })
    .slice(0, readersMax)
    .flatMap(({ field, holds }) =>
      Array.from(
        { length: holds },
        (_, i) => [field, names.readHoldKey(name, field, i + 1)] as readonly [string, string],
      ),
    );
}

/** The longest of a reader's holds is what it has. */
function longer(one: ReadHold | undefined, ttl: Reply | undefined): ReadHold {
  const before = one ?? { state: 'over', ttlMs: null };
  if (before.state === 'endless') return before;
  if (typeof ttl !== 'number') return before.state === 'over' ? { state: 'unknown', ttlMs: null } : before;
  if (ttl === -1) return { state: 'endless', ttlMs: null };
  if (ttl < 0) return before;
  return { state: 'runs', ttlMs: Math.max(ttl, before.ttlMs ?? 0) };
}

async function withHolds(
  node: RedisNode,
  reads: readonly NameRead[],
  clustered: boolean,
): Promise<readonly NameRead[]> {
  const whole = reads.filter(({ name }) => !clustered || sharesSlot(name));
  const holdReads = whole.flatMap((read) => holdKeys(read).map(([reader, key]) => ({ read, reader, key })));
  if (holdReads.length === 0) return reads;
  const ttls = soundOf(await node.batch(holdReads.map(({ key }): Command => ['PTTL', key])), 'PTTL', false);
  const holdsByRead = new Map<NameRead, Map<string, ReadHold>>();
  holdReads.forEach(({ read, reader }, i) => {
    const holds = holdsByRead.get(read) ?? new Map<string, ReadHold>();
    holdsByRead.set(read, holds.set(reader, longer(holds.get(reader), ttls[i])));
  });
  return reads.map((read) => ({ ...read, readHolds: holdsByRead.get(read) ?? read.readHolds }));
}

/** `[seconds, microseconds]` */
function serverTime(reply: Reply | undefined): number | null {
  const [seconds, micros] = listOf(reply).map(textOf);
  const ms = Number(seconds) * 1_000 + Number(micros) / 1_000;
  return seconds === undefined || Number.isNaN(ms) ? null : Math.floor(ms);
}

async function readOnNode(
  node: RedisNode,
  queries: readonly AskedThere[],
  now: () => number,
  clustered: boolean,
): Promise<readonly NameRead[]> {
  const each = queries.map((one) => (one.as === 'lock' ? lockCommands(one) : numberCommands(one)));
  const commands: readonly Command[] = [['TIME'], ...each.flat()];
  const fromMs = now();
  const replies = soundOf(await node.batch(commands), 'EXEC', true);
  const untilMs = now();
  const atMs = (fromMs + untilMs) / 2;
  const moment = { atMs, slackMs: (untilMs - fromMs) / 2, serverMs: serverTime(replies[0]) ?? atMs };
  let at = 1;
  const reads = queries.map((one, i) => {
    const answers = replies.slice(at, at + (each[i]?.length ?? 0));
    at += answers.length;
    if (one.as === 'lock') return lockRead(one, answers, moment);
    const all = answers.at(-1);
    if (all instanceof Refused) throw failed(problemOfAnswer(all.message, 'EXEC'));
    return numberRead(one.name, soundOf(listOf(all), 'EXEC', true), moment);
  });
  return withHolds(node, reads, clustered);
}

/** Names by the server that has them. Throws a `ProblemError` for a slot that no server has. */
function byNode<T>(
  link: Link,
  all: readonly T[],
  keyOf: (one: T) => Argument,
): ReadonlyMap<RedisNode, readonly T[]> {
  const groups = new Map<RedisNode, T[]>();
  for (const one of all) {
    const node = link.nodeOf(keyOf(one));
    const group = groups.get(node);
    if (group === undefined) groups.set(node, [one]);
    else group.push(one);
  }
  return groups;
}

/** In the order asked. Throws a `ProblemError` when the link breaks, or Redis does not permit it. */
export async function readNames(
  link: Link,
  queries: readonly Asked[],
  now: () => number,
): Promise<readonly NameRead[]> {
  const all = queries.map((one) => askedOn(link, one));
  const groups = [...byNode(link, all, ({ name }) => name)];
  const read = new Map<Asked, NameRead>();
  await Promise.all(
    groups.map(async ([node, group]) => {
      const reads = await readOnNode(node, group, now, link.clustered);
      group.forEach((one, i) => {
        const result = reads[i];
        if (result !== undefined) read.set(one, result);
      });
    }),
  );
  return all.flatMap((one) => read.get(one) ?? []);
}
