/** Sets the limit of a semaphore, and returns free permits to a counter. */
import { z } from 'zod';
import type { ActionOf } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { Plan, Undo, Warning } from '@/lib/domain/actions/plan';
import { key as keyForm } from '@/lib/domain/actions/schema';
import { setLimit } from '@/lib/domain/actions/semaphore';
import type { Semaphore } from '@/lib/domain/model';
import { type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { semaphoreChannel } from '@/lib/providers/redis/client/names';
import { type ActContext, type Call, type Deed, requireAllowed } from './act';
import { adding, resizing } from './manual';
import { type Deeds, outcomeOf, perform } from './perform';
import { permitsForm, readRow, requireSemaphore } from './permits';
import { readSemaphore, semaphoreKeys } from './reading';
import { kindChanged, refusal } from './refused';
import { addPermits, resizePermits } from './semaphore-scripts';

/** Java's `int`. */
const countMax = 2 ** 31 - 1;

const counted = z.string().regex(/^-?\d{1,15}$/);

export const limitSeen = z.strictObject({
  prefix: keyForm,
  limit: z.int(),
  /** The free permits, where Redis stores only them; `null`: the limit is the sum of free and held permits. */
  available: z.nullable(counted),
});

export type LimitSeen = z.infer<typeof limitSeen>;

const addCall = (prefix: string, available: string, permits: number): Call => ({
  script: addPermits,
  keys: semaphoreKeys(prefix).slice(0, 1),
  args: [available, String(permits), semaphoreChannel(prefix)],
});

const resizeCall = ({ prefix, limit, available }: LimitSeen, to: number): Call =>
  available === null
    ? {
        script: resizePermits,
        keys: semaphoreKeys(prefix),
        args: [String(limit), String(to), semaphoreChannel(prefix)],
      }
    : addCall(prefix, available, to - limit);

/**
 * Returns the row as it is now. Throws unless it has the layout that the plan saw, because the scripts only compare a
 * number, and any program may keep one.
 */
async function requireLayout(
  context: ActContext,
  prefix: string,
  layout: Semaphore['layout'],
): Promise<Semaphore> {
  const { semaphore } = await readRow(context, prefix);
  if (semaphore?.layout !== layout) throw kindChanged(prefix);
  return semaphore;
}

/** Explains a refused condition, and checks if the counter shows the write. */
function counterDeeds(
  prefix: string,
  { before, change }: { readonly before: string; readonly change: number },
  read: () => Promise<string>,
): Pick<Deeds, 'differs' | 'effect'> {
  return {
    differs: ({ code, now }) => ({
      difference:
        code === 'available'
          ? [{ code: 'redis-available-changed', facts: { before, now } }]
          : [{ code: 'redis-kind-changed', facts: { key: prefix } }],
    }),
    effect: async () => {
      const now = await read();
      if (now === before) return 'as-seen';
      return Number(now) === Number(before) + change ? 'done' : 'unclear';
    },
  };
}

/** The limit of a counter is a setting, which may have changed between the plan and now. */
const settingChanged = (before: number, now: number | null) =>
  now === null
    ? refusal('conflict-in-use', { code: 'redis-no-limit', facts: {} })
    : refusal('stale', { code: 'changed-since', facts: {} }, [
        { code: 'limit-changed', facts: { before: String(before), now: String(now) } },
      ]);

function resizeWarnings(
  { layout, recorded, limit: before }: Semaphore,
  {
    prefix,
    limit,
    isCounter,
  }: { readonly prefix: string; readonly limit: number; readonly isCounter: boolean },
): readonly Warning[] {
  const held = recorded ?? 0;
  return [
    ...(limit < held ? [{ code: 'redis-below-held', facts: { held, limit } } as const] : []),
    ...(isCounter ? [{ code: 'redis-setting-stays', facts: { prefix, limit } } as const] : []),
    ...(limit > (before ?? 0) ? [] : [{ code: 'holder-notices', facts: { layout, heirs: null } } as const]),
  ];
}

/** `before`: the limit to set again; `null`: there is no way back. A client sets 0 to drain, and no action does. */
function undoOf(ref: SemaphoreRef, before: number | null): Undo {
  if (before === null || before < 1) return { code: 'redis-none-permits', facts: {}, action: null };
  return { code: 'set-limit-back', facts: { limit: before }, action: setLimit(ref, before) };
}

export const resize: Deed<ActionOf<'semaphore.resize'>, LimitSeen> = {
  async plan(action, context) {
    const { source, prefix, limit } = action;
    const { semaphore: found, reading } = await readRow(context, prefix);
    const semaphore = requireSemaphore(context, prefix, found);
    const isCounter = semaphore.layout === 'redisson-semaphore';
    const before = semaphore.limit;
    if (isCounter && before === null) throw refusal('conflict-in-use', { code: 'redis-no-limit', facts: {} });
    requireAllowed(action, { semaphore });
    if (before === null) throw refusal('conflict-in-use', { code: 'not-understood', facts: {} });
    const available = isCounter ? reading.value : null;
    const seen: LimitSeen = { prefix, limit: before, available };
    const plan: Plan = {
      summary: { code: 'set-limit', facts: { prefix, before, limit } },
      writes: [
        {
          operation: 'update',
          target: prefix,
          condition:
            available === null
              ? { code: 'limit-is', facts: { limit: before } }
              : { code: 'redis-available-is', facts: { available: Number(available) } },
          before: { code: 'stored', facts: { text: reading.value } },
          after: { code: 'stored', facts: { text: String(Number(reading.value) + limit - before) } },
        },
      ],
      touches: [],
      warnings: [
        ...resizeWarnings(semaphore, { prefix, limit, isCounter }),
        { code: 'redis-clients-wait', facts: { clients: reading.clients } },
      ],
      undo: undoOf({ source, prefix }, isCounter ? null : before),
      manual: available === null ? resizing(context, seen, limit) : [],
      friction: 'reason',
      confirmName: null,
    };
    return { plan, seen };
  },
  seen({ prefix }, expect) {
    const { data } = limitSeen.safeParse(expect);
    return data?.prefix === prefix ? data : null;
  },
  saw: ({ prefix, limit, available }) => ({
    ...sawNothing,
    entries: [
      {
        key: prefix,
        index: null,
        session: null,
        seen: available === null ? `limit ${limit}` : `limit ${limit}, ${available} free`,
      },
    ],
  }),
  async apply(action, seen, context, signal) {
    const { prefix, limit } = action;
    const isCounter = seen.available !== null;
    const now = await requireLayout(context, prefix, isCounter ? 'redisson-semaphore' : 'redisson-permits');
    if (isCounter && now.limit !== seen.limit) throw settingChanged(seen.limit, now.limit);
    const read = async () => (await readSemaphore(context.server, prefix)).value;
    const counter = counterDeeds(prefix, { before: seen.available ?? '', change: limit - seen.limit }, read);
    const stored: Pick<Deeds, 'differs' | 'effect'> = {
      differs: ({ code, now }) =>
        code === 'limit'
          ? {
              difference: [{ code: 'limit-changed', facts: { before: String(seen.limit), now } }],
              isDone: Number(now) === limit,
            }
          : { difference: [{ code: 'redis-kind-changed', facts: { key: prefix } }] },
      effect: async () => {
        const { value, held } = await readSemaphore(context.server, prefix);
        const now = Number(value) + held;
        return now === limit ? 'done' : now === seen.limit ? 'as-seen' : 'unclear';
      },
    };
    const { warnings } = await perform(
      context,
      { call: resizeCall(seen, limit), ...(isCounter ? counter : stored) },
      signal,
    );
    const was = isCounter ? null : permitsForm;
    return outcomeOf(async () => (await readRow(context, prefix, was)).semaphore, {
      freed: [],
      warnings,
    });
  },
  asks: ({ prefix }, { settings }) => {
    const isCounter = settings.semaphores.some(({ name }) => name === prefix);
    return resizeCall({ prefix, limit: 1, available: isCounter ? '1' : null }, 1);
  },
};

export const returnSeen = z.strictObject({ prefix: keyForm, available: counted });

export type ReturnSeen = z.infer<typeof returnSeen>;

export const returnPermits: Deed<ActionOf<'semaphore.return-permits'>, ReturnSeen> = {
  async plan(action, context) {
    const { prefix, permits } = action;
    const { semaphore: found, reading } = await readRow(context, prefix);
    const semaphore = requireSemaphore(context, prefix, found);
    requireAllowed(action, { semaphore });
    const available = Number(reading.value);
    const after = available + permits;
    if (after > countMax) throw refusal('invalid', { code: 'redis-too-many', facts: { max: countMax } });
    const { limit } = semaphore;
    const seen: ReturnSeen = { prefix, available: reading.value };
    const plan: Plan = {
      summary: { code: 'redis-return', facts: { prefix, permits } },
      writes: [
        {
          operation: 'update',
          target: prefix,
          condition: { code: 'redis-available-is', facts: { available } },
          before: { code: 'stored', facts: { text: reading.value } },
          after: { code: 'stored', facts: { text: String(after) } },
        },
      ],
      touches: [],
      warnings: [
        { code: 'redis-no-names', facts: {} },
        ...(limit !== null && after > limit
          ? [{ code: 'redis-beyond-limit', facts: { available: after, limit } } as const]
          : []),
        { code: 'redis-clients-wait', facts: { clients: reading.clients } },
      ],
      undo: { code: 'redis-none-permits', facts: {}, action: null },
      manual: adding(context, seen, permits),
      friction: 'type-name',
      confirmName: prefix,
    };
    return { plan, seen };
  },
  seen({ prefix, permits }, expect) {
    const { data } = returnSeen.safeParse(expect);
    if (data?.prefix !== prefix || Number(data.available) + permits > countMax) return null;
    return data;
  },
  saw: ({ prefix, available }) => ({
    ...sawNothing,
    entries: [{ key: prefix, index: null, session: null, seen: `${available} free` }],
  }),
  async apply(action, seen, context, signal) {
    const { prefix, permits } = action;
    await requireLayout(context, prefix, 'redisson-semaphore');
    const read = async () => (await readSemaphore(context.server, prefix)).value;
    const { warnings } = await perform(
      context,
      {
        call: addCall(prefix, seen.available, permits),
        ...counterDeeds(prefix, { before: seen.available, change: permits }, read),
      },
      signal,
    );
    return outcomeOf(async () => (await readRow(context, prefix)).semaphore, {
      freed: [semaphoreSubject(action)],
      warnings,
    });
  },
  asks: ({ prefix }) => addCall(prefix, '', 1),
};
