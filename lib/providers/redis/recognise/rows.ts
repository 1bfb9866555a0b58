/** Makes the row of a name from its memory. Pure, and it never throws. */
import type { Holder, Lock, Semaphore } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { fact } from '@/lib/domain/verdict';
import {
  latchChannel,
  lockChannel,
  readWriteChannel,
  redissonIdOf,
  semaphoreChannel,
} from '@/lib/providers/redis/client/names';
import type { NamedSemaphore } from '@/lib/providers/redis/client/settings';
import type { Form } from './form';
import { type Hold, isOver } from './lease';
import { type Audience, isOfTaken, type Memory } from './memory';
import { holderOf, labelOf, overdueHolder, unknownExpiry, waitersOf } from './party';
import { storedIn } from './value';

export interface RowFacts {
  readonly source: SourceId;
  readonly memory: Memory;
  /** `null`: Redis does not permit the question for listeners. */
  readonly audience: Audience | null;
  /** The configured limit; `null`: none. */
  readonly limit: NamedSemaphore['limit'];
}

const layoutOf = (form: Form, token: string | null): Lock['layout'] => {
  if (form.kind === 'read-write') return 'redisson-read-write';
  if (form.kind === 'faster-multi') return 'redisson-faster-multi';
  if (form.kind === 'redlock') return 'redlock';
  if (form.kind === 'lock' && form.fair) return 'redisson-fair';
  return token === null ? 'redisson-lock' : 'redisson-fenced';
};

/** The earliest hold first, so that a new reader does not look like a new holder. */
const byArrival = ([a, one]: readonly [string, Hold], [b, other]: readonly [string, Hold]): number =>
  one.since.atMs - other.since.atMs || (a < b ? -1 : a > b ? 1 : 0);

const isWriter = (id: string): boolean => redissonIdOf(id)?.writer === true;

function holdersIn({ form, holds, taken }: Memory): readonly Holder[] {
  const shown = ([id, hold]: readonly [string, Hold], mode: 'read' | 'write' | null): Holder => {
    const holder = holderOf(id, hold, mode);
    if (taken === null || !isOfTaken(taken, [id, hold])) return holder;
    const lost = fact('redis-thread-lost', taken.name, Math.round(taken.atMs));
    return { ...holder, evidence: [...holder.evidence, lost] };
  };
  if (form.kind !== 'read-write') return [...holds].sort(byArrival).map((one) => shown(one, null));
  return [...holds]
    .sort((a, b) => Number(isWriter(b[0])) - Number(isWriter(a[0])) || byArrival(a, b))
    .map((one) => shown(one, isWriter(one[0]) ? 'write' : 'read'));
}

/** True when the hash exists, but all its readers' holds are over. */
const isUnclear = ({ form, read, holds }: Memory): boolean =>
  form.kind === 'read-write' && read.type === 'hash' && holds.size === 0;

function unwokenIn({ sleep: { unwoken } }: Memory, audience: Audience | null): Pick<Lock, 'unwoken'> {
  if (unwoken === null || unwoken.clients === null) return {};
  // The last count is out of date once listeners cannot be counted any more.
  if (audience === null || audience.clients === null) return {};
  const { writer, sinceMs, untilMs, clients } = unwoken;
  const evidence = [
    fact('redis-writer-reads-on', labelOf(writer), Math.round(sinceMs)),
    fact('redis-sleep-ends', null, Number.isFinite(untilMs) ? Math.round(untilMs) : null),
  ];
  return { unwoken: { clients, evidence } };
}

const waitingIn = (audience: Audience | null): Pick<Lock, 'waitingClients'> =>
  audience === null || audience.clients === null ? {} : { waitingClients: audience.clients };

function lockRow({ source, memory, audience }: RowFacts): Lock {
  const { form, read } = memory;
  const [holder = null, ...readers] = holdersIn(memory);
  const isQueue = form.kind === 'lock' && form.fair;
  const listens = form.kind === 'lock' || form.kind === 'read-write';
  const details =
    form.kind === 'faster-multi'
      ? form.owners.map(({ field, owner }) => ({ name: field, value: owner }))
      : [];
  return {
    kind: 'lock',
    source,
    key: read.name,
    layout: layoutOf(form, read.token),
    state: holder !== null ? 'held' : isUnclear(memory) ? 'unknown' : 'free',
    holder,
    ...(readers.length === 0 ? {} : { readers }),
    waiters: isQueue ? waitersOf(memory, audience) : null,
    ...(isQueue || !listens ? {} : waitingIn(audience)),
    ...unwokenIn(memory, audience),
    delayedUntilMs: null,
    delay: null,
    exists: true,
    turnover: null,
    value: storedIn(read),
    details,
    leftBehind: null,
    ...(form.kind === 'lock' && read.token !== null ? { lockIndex: read.token } : {}),
  };
}

const exact = (text: string): number | null => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : null;
};

const common = (source: SourceId, memory: Memory, audience: Audience | null) => ({
  kind: 'semaphore' as const,
  source,
  prefix: memory.read.name,
  waiters: [],
  ...waitingIn(audience),
  leftovers: [],
  turnover: null,
  problems: [],
  value: storedIn(memory.read),
});

function permitsRow({ source, memory, audience }: RowFacts, free: string): Semaphore {
  const { read, holds } = memory;
  const taken = read.permitsCount;
  const sorted = [...holds].sort(byArrival);
  const holders = sorted.map(([id, hold]) => (isOver(hold) ? overdueHolder(id, hold) : holderOf(id, hold)));
  const over = sorted.filter(([, hold]) => isOver(hold)).length;
  const available = exact(free);
  const unread = taken - holders.length;
  return {
    ...common(source, memory, audience),
    layout: 'redisson-permits',
    // Free and taken permits add up to the limit, also while expired ones are not swept.
    limit: available === null ? null : available + taken,
    available,
    recorded: taken,
    effective: unread > 0 ? null : taken - over,
    holders,
    ...(unread > 0 ? { beyond: { ghost: 0, unknown: unread } } : {}),
  };
}

function countedRow(
  { source, memory, audience, limit }: RowFacts,
  free: string | null,
  latch: boolean,
): Semaphore {
  const available = free === null ? null : exact(free);
  const known = latch ? null : limit;
  return {
    ...common(source, memory, audience),
    layout: latch ? 'redisson-latch' : 'redisson-semaphore',
    limit: known,
    ...(known === null ? {} : { limitBasis: 'configured' as const }),
    available,
    recorded: known === null || available === null ? null : Math.max(0, known - available),
    effective: null,
    holders: [],
  };
}

export function rowOf(facts: RowFacts): Lock | Semaphore {
  const { form } = facts.memory;
  switch (form.kind) {
    case 'permits':
      return permitsRow(facts, form.free);
    case 'semaphore':
      return countedRow(facts, form.free, false);
    case 'latch':
      return countedRow(facts, form.free, true);
    default:
      return lockRow(facts);
  }
}

/** The row of a name that cannot be read now. Holders of permits stay, because losing them would mean their end. */
export function unreadRow(row: Lock | Semaphore): Lock | Semaphore {
  if (row.kind === 'lock') {
    const { readers: _readers, unwoken: _unwoken, ...rest } = row;
    return { ...rest, state: 'unknown', holder: null, waiters: null, value: null, details: [] };
  }
  const holders = row.holders.map(
    (holder): Holder => ({ ...holder, verdict: 'unknown', evidence: [], expiry: unknownExpiry }),
  );
  return { ...row, available: null, recorded: null, effective: null, holders, value: null };
}

/** The channel that all clients of this name wait on; `null`: there is none. */
export function channelOf({ form, read: { name } }: Memory): string | null {
  switch (form.kind) {
    case 'lock':
      return lockChannel(name);
    case 'read-write':
      return readWriteChannel(name);
    case 'permits':
    case 'semaphore':
      return semaphoreChannel(name);
    case 'latch':
      return latchChannel(name);
    default:
      return null;
  }
}
