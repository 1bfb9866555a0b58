/** Reads names and their companions in one batch, bounded. */
import { failed, problemOfAnswer } from './failure';
import { type Link, soundOf } from './link';
import * as names from './names';
import { type Argument, type Command, listOf, type RedisNode, Refused, type Reply, textOf } from './node';
import { sharesSlot } from './slot';

/** `lock`: a hash, with the companions of a lock. `number`: a number, with the permits of a semaphore. */
export type ReadAs = 'lock' | 'number';

export interface Asked {
  readonly name: string;
  readonly as: ReadAs;
  /** True when the name is known to have a queue, or a token. Most have neither, and each costs a command. */
  readonly queue: boolean;
  readonly token: boolean;
  /** True for one of ours, or when a glimpse was not enough. */
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
  /** As `TYPE` answers. `none`: there is no such key. `other`: no hash, where it was read as a lock. */
  readonly type: string;
  /** Milliseconds until the key ends; `null`: never. */
  readonly ttlMs: number | null;
  /** The fields in Redis's order, at most about a thousand. */
  readonly fields: readonly (readonly [field: string, value: string])[];
  /** Some of the key was left out, because there is too much to read. */
  readonly cut: boolean;
  /** The first bytes of a string, and its length in bytes; `null`: the key is no string. */
  readonly text: Buffer | null;
  readonly textBytes: number;
  /** The fencing token of a fenced lock. */
  readonly token: string | null;
  /** The waiters of a fair lock, first come first. */
  readonly queue: readonly string[];
  /** Until when each waiter is presumed alive, by its client's clock. */
  readonly queueEnds: ReadonlyMap<string, number>;
  readonly permits: readonly PermitRead[];
  /** The number of permits, unread ones included. */
  readonly permitsCount: number;
  /** The rest of the longest hold of each reader of a read-write lock. */
  readonly readHolds: ReadonlyMap<string, ReadHold>;
  /** The middle of the reading, epoch milliseconds of this machine, and its error either way. */
  readonly atMs: number;
  readonly slackMs: number;
  /** Redis's clock then, epoch milliseconds. */
  readonly serverMs: number;
}

export interface ReadHold {
  /** `unknown`: Redis does not permit the read. */
  readonly state: 'runs' | 'over' | 'endless' | 'unknown';
  readonly ttlMs: number | null;
}

const partsMax = 1_000;
/** Fields to read of an unknown hash, whose values may be large. */
const glimpse = 4;
const textBytesMax = 128;
/** Most single holds to read of one reader. */
const holdsMax = 32;
const readersMax = 64;

const last = String(partsMax - 1);

/** `alone`: in a cluster, companions could be on other servers, so Redisson cannot have made any. */
interface AskedThere extends Asked {
  readonly alone: boolean;
}

const askedOn = (link: Link, query: Asked): AskedThere =>
  link.clustered && !sharesSlot(query.name)
    ? { ...query, queue: false, token: false, alone: true }
    : { ...query, alone: false };

/** Reads a lock in several steps of the server. A change in between is pushed, and read again. */
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

/** Reads a number in one step, because free and held permits add up to the limit only together. */
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

/** A reading that found nothing more, or asked for nothing more. */
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
  // Spelled out, because this runs for every lock, and spreading objects costs several times as much.
  return {
    atMs: moment.atMs,
    slackMs: moment.slackMs,
    serverMs: moment.serverMs,
    name: query.name,
    // A key of another kind refuses the command. Redis keeps no empty hash.
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

/** The keys of the readers' single holds, for the readers in the hash. */
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

/**
 * True where the key's slot is on its way to another server of the cluster, and the key may be on either. Any key that
 * a server lacks is refused so until the whole slot has moved.
 */
const isMoving = (reply: Reply | undefined): boolean =>
  reply instanceof Refused && /^(?:ASK|TRYAGAIN) /.test(reply.message);

/** The longer of two holds, which is how long the reader holds. */
function longer(one: ReadHold | undefined, ttl: Reply | undefined): ReadHold {
  const before = one ?? { state: 'over', ttlMs: null };
  if (before.state === 'endless') return before;
  if (typeof ttl !== 'number') return before.state === 'over' ? { state: 'unknown', ttlMs: null } : before;
  if (ttl === -1) return { state: 'endless', ttlMs: null };
  if (ttl < 0) return before;
  return { state: 'runs', ttlMs: Math.max(ttl, before.ttlMs ?? 0) };
}

/** Leaves out names of which a hold is moving. */
async function withHolds(
  node: RedisNode,
  reads: readonly NameRead[],
  clustered: boolean,
): Promise<readonly NameRead[]> {
  const whole = reads.filter(({ name }) => !clustered || sharesSlot(name));
  const holdReads = whole.flatMap((read) => holdKeys(read).map(([reader, key]) => ({ read, reader, key })));
  if (holdReads.length === 0) return reads;
  const ttls = await node.batch(holdReads.map(({ key }): Command => ['PTTL', key]));
  soundOf(
    ttls.filter((ttl) => !isMoving(ttl)),
    'PTTL',
    false,
  );
  const moving = new Set(holdReads.filter((_, i) => isMoving(ttls[i])).map(({ read }) => read));
  const holdsByRead = new Map<NameRead, Map<string, ReadHold>>();
  holdReads.forEach(({ read, reader }, i) => {
    const holds = holdsByRead.get(read) ?? new Map<string, ReadHold>();
    holdsByRead.set(read, holds.set(reader, longer(holds.get(reader), ttls[i])));
  });
  return reads.flatMap((read) =>
    moving.has(read) ? [] : [{ ...read, readHolds: holdsByRead.get(read) ?? read.readHolds }],
  );
}

/** `[seconds, microseconds]` */
function serverTime(reply: Reply | undefined): number | null {
  const [seconds, micros] = listOf(reply).map(textOf);
  const ms = Number(seconds) * 1_000 + Number(micros) / 1_000;
  return seconds === undefined || Number.isNaN(ms) ? null : Math.floor(ms);
}

/** Leaves out names that are moving. */
async function readOnNode(
  node: RedisNode,
  queries: readonly AskedThere[],
  now: () => number,
  clustered: boolean,
): Promise<readonly NameRead[]> {
  const each = queries.map((one) => (one.as === 'lock' ? lockCommands(one) : numberCommands(one)));
  const commands: readonly Command[] = [['TIME'], ...each.flat()];
  const fromMs = now();
  const replies = await node.batch(commands);
  const untilMs = now();
  const atMs = (fromMs + untilMs) / 2;
  const [time] = soundOf(replies.slice(0, 1), 'TIME', true);
  const moment = { atMs, slackMs: (untilMs - fromMs) / 2, serverMs: serverTime(time) ?? atMs };
  let at = 1;
  const reads = queries.flatMap((one, i) => {
    const answers = replies.slice(at, at + (each[i]?.length ?? 0));
    at += answers.length;
    if (answers.some(isMoving)) return [];
    soundOf(answers, 'EXEC', true);
    if (one.as === 'lock') return [lockRead(one, answers, moment)];
    const all = answers.at(-1);
    if (all instanceof Refused) throw failed(problemOfAnswer(all.message, 'EXEC'));
    return [numberRead(one.name, soundOf(listOf(all), 'EXEC', true), moment)];
  });
  return withHolds(node, reads, clustered);
}

/** Groups names by their server. Throws a `ProblemError` for a slot without a server. */
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

export interface Readings {
  readonly reads: readonly NameRead[];
  /** Names that cannot be read now, because their slot moves to another server of the cluster. */
  readonly moving: readonly string[];
}

/** Reads in the order asked. Throws a `ProblemError` when the link breaks, or Redis does not permit it. */
export async function readNames(link: Link, queries: readonly Asked[], now: () => number): Promise<Readings> {
  const all = queries.map((one) => askedOn(link, one));
  const groups = [...byNode(link, all, ({ name }) => name)];
  const found = new Map<string, NameRead>();
  await Promise.all(
    groups.map(async ([node, group]) => {
      for (const read of await readOnNode(node, group, now, link.clustered)) found.set(read.name, read);
    }),
  );
  return {
    reads: all.flatMap(({ name }) => found.get(name) ?? []),
    moving: all.flatMap(({ name }) => (found.has(name) ? [] : name)),
  };
}
