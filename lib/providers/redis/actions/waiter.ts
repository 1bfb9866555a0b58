/** Removes one entry of a fair queue, and wakes the clients that sleep beside a lock that they can have. */
import { z } from 'zod';
import type { ActionOf } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { Plan, Warning } from '@/lib/domain/actions/plan';
import { sessionId as idForm, key as keyForm } from '@/lib/domain/actions/schema';
import { capabilities } from '@/lib/domain/capabilities';
import { type Lock, verdicts } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { lockChannel, readWriteChannel } from '@/lib/providers/redis/client/names';
import { labelOf } from '@/lib/providers/redis/recognise/party';
import { type Call, type Deed, frictionFor, requireAllowed } from './act';
import { removeWaiter as removeScript, wakeWaiters as wakeScript } from './lock-scripts';
import { removing } from './manual';
import { isUnknown, type No, outcomeOf, perform } from './perform';
import { type LockReading, lockKeys, readLock } from './reading';
import { kindChanged, refusal } from './refused';
import { readRow, requireLock } from './release';

export const waiterSeen = z.strictObject({
  key: keyForm,
  waiter: idForm,
  /** The time until which Redisson presumes the waiter alive, as Redis writes it; '': none is stored. */
  untilMs: z.string().max(32),
  /** True when no client listens on the waiter's channel. */
  isDead: z.boolean(),
  verdict: z.enum(verdicts),
});

export type WaiterSeen = z.infer<typeof waiterSeen>;

const callOf = ({ key, waiter, untilMs, isDead }: WaiterSeen): Call => ({
  script: removeScript,
  keys: lockKeys(key),
  args: [waiter, untilMs, isDead ? 'dead' : '', lockChannel(key)],
});

function differenceOf(sessionId: string, { code }: No): Difference {
  if (code === 'requeued') return { code: 'redis-queued-again', facts: { sessionId } };
  if (code === 'lives') return { code: 'redis-waiter-lives', facts: { sessionId } };
  return { code: 'redis-not-waiting', facts: { sessionId } };
}

/**
 * Throws unless this is still a fair lock. The script removes the entry of a list by its text, and any program may keep
 * a list.
 */
function requireFair({ key, waiter }: WaiterSeen, { lock, reading }: Awaited<ReturnType<typeof readRow>>) {
  if (lock !== null && capabilities[lock.layout].removesWaiters) return;
  if (reading.queue.some(({ id }) => id === waiter)) throw kindChanged(key);
  throw refusal('stale', { code: 'done-before', facts: {} }, [
    { code: 'redis-not-waiting', facts: { sessionId: waiter } },
  ]);
}

/** The greater number. A free lock does not show on which of its two channels its clients listen. */
const mostOf = ({ clients, readers }: LockReading): number | null =>
  clients === null || readers === null ? null : Math.max(clients, readers);

/** True when a wake-up can help: a client that holds alone keeps all others out. */
const isOpen = (lock: Lock) => lock.state === 'free' || lock.holder?.mode === 'read';

export const removeWaiter: Deed<ActionOf<'lock.remove-waiter'>, WaiterSeen> = {
  async plan(action, context) {
    const { key, sessionId } = action;
    const { lock: found, reading } = await readRow(context, key);
    const lock = requireLock(context, key, found);
    requireAllowed(action, { lock });
    const place = reading.queue.findIndex(({ id }) => id === sessionId);
    const entry = reading.queue[place];
    const party = lock.waiters?.find((one) => one.sessionId === sessionId);
    if (entry === undefined || party === undefined)
      throw refusal('not-held', { code: 'not-waiter', facts: { sessionId } });
    const isDead = entry.listeners === 0;
    const seen = { key, waiter: sessionId, untilMs: entry.untilMs, isDead, verdict: party.verdict };
    const next = reading.queue[place === 0 ? 1 : 0];
    const warnings: Warning[] = [
      isDead ? { code: 'redis-waiter-dead', facts: {} } : { code: 'redis-waiter-returns', facts: {} },
      next?.listeners === 0
        ? { code: 'redis-next-dead', facts: { waiter: labelOf(next.id) } }
        : { code: 'next-in-queue', facts: { first: next === undefined ? null : labelOf(next.id) } },
    ];
    const plan: Plan = {
      summary: { code: 'redis-remove-waiter', facts: { key, waiter: labelOf(sessionId) } },
      writes: [
        {
          operation: 'update',
          target: key,
          condition: { code: isDead ? 'redis-still-dead' : 'redis-still-waits', facts: { sessionId } },
          before: null,
          after: { code: 'gone', facts: {} },
        },
      ],
      touches: [],
      warnings,
      undo: { code: isDead ? 'not-needed' : 'none-slot', facts: {}, action: null },
      manual: removing(context, seen),
      ...frictionFor(isDead ? null : party),
    };
    return { plan, seen };
  },
  seen({ key, sessionId }, expect) {
    const { data } = waiterSeen.safeParse(expect);
    return data !== undefined && data.key === key && data.waiter === sessionId ? data : null;
  },
  saw: ({ key, waiter, untilMs, verdict }) => ({
    ...sawNothing,
    sessions: [waiter],
    verdict,
    entries: [{ key, index: null, session: waiter, seen: `waits until ${untilMs || 'unknown'}` }],
  }),
  async apply(action, seen, context, signal) {
    const { key, sessionId } = action;
    requireFair(seen, await readRow(context, key));
    const { facts, warnings } = await perform(
      context,
      {
        call: callOf(seen),
        differs: (no) => ({ difference: [differenceOf(sessionId, no)], isDone: no.code === 'waiter' }),
        effect: async () => {
          const { queue } = await readLock(context.server, key);
          const entry = queue.find(({ id }) => id === sessionId);
          if (entry === undefined) return 'done';
          return entry.untilMs === seen.untilMs ? 'as-seen' : 'unclear';
        },
      },
      signal,
    );
    const [, next = '', listening] = facts;
    return outcomeOf(async () => (await readRow(context, key, { kind: 'lock', fair: true })).lock, {
      freed: [],
      warnings:
        next !== '' && listening === '0'
          ? [...warnings, { code: 'redis-next-dead', facts: { waiter: labelOf(next) } }]
          : warnings,
    });
  },
  asks: ({ key, sessionId }) =>
    callOf({ key, waiter: sessionId, untilMs: '', isDead: false, verdict: 'unknown' }),
};

export const wakeSeen = z.strictObject({ key: keyForm, wakes: z.enum(['free', 'shared']) });

type WakeSeen = z.infer<typeof wakeSeen>;

const wakeCall = (key: string): Call => ({
  script: wakeScript,
  keys: lockKeys(key),
  args: [lockChannel(key), readWriteChannel(key)],
});

export const wake: Deed<ActionOf<'lock.wake'>, WakeSeen> = {
  async plan(action, context) {
    const { key } = action;
    const { lock: found, reading } = await readRow(context, key);
    const lock = requireLock(context, key, found);
    requireAllowed(action, { lock });
    if (!isOpen(lock)) throw refusal('conflict-in-use', { code: 'lock-held', facts: {} });
    const plan: Plan = {
      summary: { code: 'redis-wake', facts: { key } },
      writes: [
        {
          operation: 'update',
          target: key,
          condition: { code: 'redis-lock-open', facts: {} },
          before: null,
          after: null,
        },
      ],
      touches: [],
      warnings: [
        { code: 'redis-wake-changes-nothing', facts: {} },
        ...(reading.queue.length > 0
          ? [{ code: 'next-in-queue', facts: { first: labelOf(reading.queue[0]?.id ?? '') } } as const]
          : [{ code: 'redis-clients-wait', facts: { clients: mostOf(reading) } } as const]),
      ],
      undo: { code: 'redis-nothing-to-undo', facts: {}, action: null },
      manual: [],
      friction: 'click',
      confirmName: null,
    };
    return { plan, seen: { key, wakes: lock.state === 'free' ? 'free' : 'shared' } };
  },
  seen({ key }, expect) {
    const { data } = wakeSeen.safeParse(expect);
    return data?.key === key ? data : null;
  },
  saw: ({ key, wakes }) => ({
    ...sawNothing,
    entries: [{ key, index: null, session: null, seen: wakes }],
  }),
  async apply(action, _seen, context, signal) {
    const { key } = action;
    const { warnings } = await perform(
      context,
      {
        call: wakeCall(key),
        lasts: false,
        differs: ({ now }) => ({
          difference: [{ code: 'redis-held-now', facts: { key, holder: now === '' ? '' : labelOf(now) } }],
        }),
        // A message leaves no trace in Redis.
        effect: async () => 'unclear',
      },
      signal,
    ).catch((error: unknown) => {
      if (isUnknown(error)) context.woken(key);
      throw error;
    });
    context.woken(key);
    return outcomeOf(async () => (await readRow(context, key)).lock, { freed: [], warnings });
  },
  asks: ({ key }) => wakeCall(key),
};
