/** Takes a lock from exactly the holder that was seen. The lock may be plain, fenced, fair, read-write or a redlock. */
import { z } from 'zod';
import type { ActionOf } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome, Plan, PlannedWrite, Warning } from '@/lib/domain/actions/plan';
import { sessionId as idForm, key as keyForm } from '@/lib/domain/actions/schema';
import { holdersOf } from '@/lib/domain/holders';
import { type Holder, type Lock, verdicts } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { lockSubject } from '@/lib/domain/subject';
import { lockChannel, readWriteChannel, redissonIdOf } from '@/lib/providers/redis/client/names';
import { type Form, redlockToken } from '@/lib/providers/redis/recognise/form';
import { labelOf } from '@/lib/providers/redis/recognise/party';
import { type ActContext, type Call, type Deed, frictionFor, requireAllowed, requireInView } from './act';
import { lockRow } from './fresh';
import { leaseArgs, leaseOf, leaseSeen } from './lease';
import { releaseLock, releaseReadWrite, releaseRedlock, sizeMax } from './lock-scripts';
import { releasing } from './manual';
import { type Effect, isUnknown, type No, outcomeOf, perform } from './perform';
import { type LockReading, lockKeys, type OwnHold, readHolds, readLock } from './reading';
import { notOfPlan, refusal } from './refused';

import * as warning from './warning';

export const holdSeen = z.strictObject({
  key: keyForm,
  holder: idForm,
  kind: z.enum(['alone', 'read', 'write', 'redlock']),
  /** The number of times that the holder took the lock, as Redis stores it. */
  count: z.string().regex(/^[1-9]\d{0,4}$/),
  /** The `mode` of a read-write lock. In `write` mode the writer may read as well. */
  mode: z.enum(['', 'read', 'write']),
  /** The fencing token; '': none. */
  token: z.string().max(32),
  lease: leaseSeen,
  verdict: z.enum(verdicts),
});

export type HoldSeen = z.infer<typeof holdSeen>;

/** The row as on screen, and the reading behind it. */
export async function readRow(
  context: ActContext,
  key: string,
  was: Form | null = null,
): Promise<{ readonly lock: Lock | null; readonly reading: LockReading }> {
  const reading = await readLock(context.server, key);
  const lock = lockRow(context, key, reading, was);
  return { lock, reading: context.isShared() ? { ...reading, clients: null, readers: null } : reading };
}

export function requireLock(context: ActContext, key: string, lock: Lock | null): Lock {
  requireInView(context, key);
  if (lock === null) throw refusal('not-found', { code: 'no-lock', facts: { key } });
  return lock;
}

const endOf = (hold: OwnHold | undefined): number | null => (hold?.state === 'runs' ? hold.endsMs : null);

function holdOf(lock: Lock, holder: Holder, reading: LockReading): HoldSeen {
  const { sessionId, mode, verdict } = holder;
  const { fields, token, endsMs, nowMs } = reading;
  const field = fields.find(({ name }) => name === sessionId);
  const kind = lock.layout === 'redlock' ? 'redlock' : (mode ?? 'alone');
  const own = kind === 'read' ? endOf(field?.hold) : endsMs;
  const stored = fields.find(({ name }) => name === 'mode')?.count;
  return {
    key: lock.key,
    holder: sessionId,
    kind,
    count: field?.count ?? '1',
    mode: stored === 'read' || stored === 'write' ? stored : '',
    token: kind === 'alone' ? token : '',
    lease: leaseOf({ endsMs: own, nowMs, token: kind === 'alone' ? token : '' }, holder),
    verdict,
  };
}

/**
 * True for a hold as its clients write it. The script compares the field and deletes the key, and any program may keep
 * a hash with one field.
 */
function isHold({ holder, kind, mode, token }: HoldSeen): boolean {
  if (kind === 'redlock') return redlockToken.test(holder) && mode === '' && token === '';
  const id = redissonIdOf(holder);
  if (id === null) return false;
  if (kind === 'alone') return mode === '';
  return id.writer === (kind === 'write') && mode !== '' && token === '';
}

/** A redlock is a string like any other, so only the setting shows that the key is one. */
const isRedlock = ({ settings }: ActContext, key: string): boolean =>
  settings.redlock.some((prefix) => key.startsWith(prefix));

/** A hold for the check of rights, which needs no values. */
const noHold: HoldSeen = {
  key: '',
  holder: '',
  kind: 'alone',
  count: '1',
  mode: '',
  token: '',
  lease: { endsMs: null, rule: 'any', longestMs: 0 },
  verdict: 'unknown',
};

function callOf({ key, holder, kind, count, mode, token, lease }: HoldSeen): Call {
  switch (kind) {
    case 'redlock':
      return { script: releaseRedlock, keys: [key], args: [holder] };
    case 'alone':
      return {
        script: releaseLock,
        keys: lockKeys(key),
        args: [holder, count, token, ...leaseArgs(lease), lockChannel(key)],
      };
    default:
      return {
        script: releaseReadWrite,
        keys: [key],
        args: [holder, count, mode, ...leaseArgs(lease), readWriteChannel(key), readHolds(key)],
      };
  }
}

function differenceOf({ key, holder, count, token }: HoldSeen, { code, now }: No): Difference {
  switch (code) {
    case 'holder':
      return { code: 'holder-changed', facts: { key, before: holder, now: now === '' ? null : now } };
    case 'count':
      return { code: 'redis-count-changed', facts: { key, before: count, now } };
    case 'token':
      return { code: 'redis-token-changed', facts: { key, before: token, now } };
    case 'lease':
      return { code: 'redis-lease-changed', facts: { key } };
    default:
      return { code: 'redis-kind-changed', facts: { key } };
  }
}

function formOf({ kind }: HoldSeen): Form {
  if (kind === 'redlock') return { kind };
  return kind === 'alone' ? { kind: 'lock', fair: false } : { kind: 'read-write' };
}

/** Checks after a lost answer if the hold that was seen is still there. */
function effectOn(seen: HoldSeen, { fields, value, token, endsMs }: LockReading): Effect {
  if (seen.kind === 'redlock') return value === seen.holder ? 'as-seen' : 'done';
  const field = fields.find(({ name }) => name === seen.holder);
  if (field === undefined) return 'done';
  if (seen.kind === 'alone' && token !== seen.token) return 'unclear';
  if (seen.lease.rule === 'any' || (seen.kind === 'read' ? endOf(field.hold) : endsMs) === seen.lease.endsMs)
    return 'as-seen';
  // The lease was renewed, or the same thread took the lock again.
  return 'unclear';
}

/** Without an answer, only the row as read back shows if others still share the lock. */
function isFreed({ kind }: HoldSeen, [next]: readonly string[], { after }: Outcome): boolean {
  if (next !== undefined) return next !== 'kept';
  const isShared = kind === 'read' || kind === 'write';
  return !isShared || (after?.kind === 'lock' && after.state === 'free');
}

function warningsOf(
  context: ActContext,
  lock: Lock,
  holder: Holder,
  seen: HoldSeen,
  reading: LockReading,
): readonly Warning[] {
  const { key, layout } = lock;
  const others = holdersOf(lock).length - 1;
  return [
    { code: 'holder-notices', facts: { layout, heirs: null } },
    ...(seen.kind === 'redlock' ? [{ code: 'redis-one-of-several', facts: {} } as const] : []),
    ...warning.partsOfMulti(holder.sessionId, key, context.locks()),
    ...warning.reentered(holder),
    ...(seen.kind === 'redlock' ? [] : [warning.sameHold(seen.token)]),
    ...(others > 0 ? [{ code: 'redis-readers-stay', facts: { readers: others } } as const] : []),
    ...warning.nextIn(reading, layout),
    warning.freesItself(seen.lease.endsMs, reading.nowMs),
  ];
}

function writeOf({ key, holder, kind, count, token }: HoldSeen, isLast: boolean): PlannedWrite {
  return {
    operation: kind === 'read' || !isLast ? 'update' : 'delete',
    target: key,
    condition:
      token === ''
        ? { code: 'redis-same-holder', facts: { sessionId: holder, count } }
        : { code: 'redis-same-token', facts: { sessionId: holder, token } },
    before: { code: 'held-by', facts: { sessionId: holder } },
    after: isLast ? { code: 'key-free', facts: { key } } : { code: 'gone', facts: {} },
  };
}

type Release = ActionOf<'lock.release'>;

export const release: Deed<Release, HoldSeen> = {
  async plan(action, context) {
    const { lock: found, reading } = await readRow(context, action.key);
    const lock = requireLock(context, action.key, found);
    requireAllowed(action, { lock });
    const holders = holdersOf(lock);
    const holder = holders.find(({ sessionId }) => (action.holder ?? sessionId) === sessionId);
    if (holder === undefined) throw refusal('not-held', { code: 'nobody-holds', facts: {} });
    if ((holder.count ?? 1) > sizeMax)
      throw refusal('conflict-in-use', { code: 'not-understood', facts: {} });
    const seen = holdOf(lock, holder, reading);
    const isLast = holders.length === 1;
    const facts = { key: lock.key, holder: labelOf(holder.sessionId) };
    const plan: Plan = {
      summary: {
        code: isLast || seen.kind !== 'read' ? 'redis-remove-holder' : 'redis-remove-reader',
        facts,
      },
      writes: [writeOf(seen, isLast)],
      touches: [],
      warnings: warningsOf(context, lock, holder, seen, reading),
      undo: { code: 'none-hand-over', facts: {}, action: null },
      manual: releasing(context, seen, reading.queue.length > 0),
      ...frictionFor(holder),
    };
    return { plan, seen };
  },
  seen({ key, holder }, expect) {
    const { data } = holdSeen.safeParse(expect);
    if (data === undefined || data.key !== key || !isHold(data)) return null;
    return (holder ?? data.holder) === data.holder ? data : null;
  },
  saw: ({ key, holder, count, token, lease, verdict }) => ({
    ...sawNothing,
    sessions: [holder],
    verdict,
    entries: [
      {
        key,
        index: null,
        session: holder,
        seen: `count ${count}, ${token === '' ? '' : `token ${token}, `}lease until ${lease.endsMs ?? 'never'}`,
      },
    ],
  }),
  async apply(action, seen, context, signal) {
    const { key } = action;
    if (seen.kind === 'redlock' && !isRedlock(context, key)) throw notOfPlan();
    // A lock that the thread takes after this instant is no part of a MultiLock that it held.
    const askedMs = context.now();
    const wakes = seen.kind === 'write';
    const { facts, warnings } = await perform(
      context,
      {
        call: callOf(seen),
        differs: (no) => ({
          difference: [differenceOf(seen, no)],
          isDone: no.code === 'holder' && no.now === '',
        }),
        effect: async () => effectOn(seen, await readLock(context.server, key)),
      },
      signal,
    ).catch((error: unknown) => {
      if (wakes && isUnknown(error)) context.woken(key);
      throw error;
    });
    context.took(key, seen.holder, askedMs);
    if (wakes) context.woken(key);
    const [next = '', listening] = facts;
    const isDead = seen.kind === 'alone' && next !== '' && listening === '0';
    const outcome = await outcomeOf(async () => (await readRow(context, key, formOf(seen))).lock, {
      freed: [],
      warnings: isDead
        ? [...warnings, { code: 'redis-next-dead', facts: { waiter: labelOf(next) } }]
        : warnings,
    });
    return isFreed(seen, facts, outcome) ? { ...outcome, freed: [lockSubject(action)] } : outcome;
  },
  asks: ({ key }, context) => {
    const isShared = context.remembered(key)?.memory?.form.kind === 'read-write';
    const kind = isRedlock(context, key) ? 'redlock' : isShared ? 'write' : 'alone';
    return callOf({ ...noHold, key, kind });
  },
};
