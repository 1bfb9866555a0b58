/** Evicts one expirable permit, and prunes the expired ones. */
import { z } from 'zod';
import type { ActionOf } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { OutcomePart, Plan, Warning } from '@/lib/domain/actions/plan';
import { key as keyForm } from '@/lib/domain/actions/schema';
import { prunePrefixesMax } from '@/lib/domain/actions/semaphore';
import { type Semaphore, type Subject, verdicts } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { semaphoreSubject } from '@/lib/domain/subject';
import { semaphoreChannel } from '@/lib/providers/redis/client/names';
import { inPrefixes } from '@/lib/providers/redis/client/settings';
import type { Form } from '@/lib/providers/redis/recognise/form';
import { type ActContext, type Call, type Deed, frictionFor, requireAllowed, requireInView } from './act';
import { semaphoreRow } from './fresh';
import { evicting } from './manual';
import { outcomeOf, perform } from './perform';
import { readPermit, readSemaphore, type SemaphoreReading, semaphoreKeys } from './reading';
import { problemIn, refusal } from './refused';
import { evictPermit, sweepPermits } from './semaphore-scripts';
import { freesItself } from './warning';

/** A permit's id: 16 bytes, written as hexadecimal. */
const permitForm = z.string().regex(/^[0-9a-f]{32}$/);

/** The row as on screen, and the reading behind it. */
export async function readRow(
  context: ActContext,
  prefix: string,
  was: Form | null = null,
): Promise<{ readonly semaphore: Semaphore | null; readonly reading: SemaphoreReading }> {
  const reading = await readSemaphore(context.server, prefix);
  const semaphore = semaphoreRow(context, prefix, reading, was);
  return { semaphore, reading: context.isShared() ? { ...reading, clients: null } : reading };
}

export const permitsForm: Form = { kind: 'permits', permits: [], free: '0' };

export function requireSemaphore(
  context: ActContext,
  prefix: string,
  semaphore: Semaphore | null,
): Semaphore {
  requireInView(context, prefix);
  if (semaphore === null) throw refusal('not-found', { code: 'no-semaphore', facts: { prefix } });
  return semaphore;
}

const goneOf = (permits: readonly string[]): readonly Difference[] => [
  { code: 'redis-permit-gone', facts: { sessionId: permits[0] ?? '' } },
];

export const permitSeen = z.strictObject({
  prefix: keyForm,
  permit: permitForm,
  /** Epoch milliseconds. */
  untilMs: z.number(),
  verdict: z.enum(verdicts),
});

export type PermitSeen = z.infer<typeof permitSeen>;

const evictCall = ({ prefix, permit }: Pick<PermitSeen, 'prefix' | 'permit'>): Call => ({
  script: evictPermit,
  keys: semaphoreKeys(prefix),
  args: [permit, semaphoreChannel(prefix)],
});

export const evict: Deed<ActionOf<'semaphore.evict'>, PermitSeen> = {
  async plan(action, context) {
    const { prefix, sessionId } = action;
    const { semaphore: found, reading } = await readRow(context, prefix);
    const semaphore = requireSemaphore(context, prefix, found);
    requireAllowed(action, { semaphore });
    const holder = semaphore.holders.find((one) => one.sessionId === sessionId);
    const untilMs = reading.permits.find(({ id }) => id === sessionId)?.untilMs;
    if (holder === undefined || untilMs === undefined)
      throw refusal('not-held', { code: 'not-holder', facts: { sessionId } });
    const seen: PermitSeen = { prefix, permit: sessionId, untilMs, verdict: holder.verdict };
    const endsMs = holder.expiry.kind === 'never' ? null : untilMs;
    const plan: Plan = {
      summary: { code: 'redis-take-permit', facts: { prefix, holder: holder.label } },
      writes: [
        {
          operation: 'update',
          target: prefix,
          condition: { code: 'redis-permit-there', facts: { sessionId } },
          before: { code: 'holds-slot', facts: { prefix } },
          after: { code: 'gone', facts: {} },
        },
      ],
      touches: [],
      warnings: [
        { code: 'holder-notices', facts: { layout: semaphore.layout, heirs: null } },
        { code: 'redis-clients-wait', facts: { clients: reading.clients } },
        freesItself(endsMs, reading.nowMs),
      ],
      undo: { code: 'none-slot', facts: {}, action: null },
      manual: evicting(context, seen),
      ...frictionFor(holder),
    };
    return { plan, seen };
  },
  seen({ prefix, sessionId }, expect) {
    const { data } = permitSeen.safeParse(expect);
    return data !== undefined && data.prefix === prefix && data.permit === sessionId ? data : null;
  },
  saw: ({ prefix, permit, untilMs, verdict }) => ({
    ...sawNothing,
    sessions: [permit],
    verdict,
    entries: [{ key: prefix, index: null, session: permit, seen: `until ${untilMs}` }],
  }),
  async apply(action, seen, context, signal) {
    const { prefix, sessionId } = action;
    const { warnings } = await perform(
      context,
      {
        call: evictCall(seen),
        differs: ({ code }) =>
          code === 'kind'
            ? { difference: [{ code: 'redis-kind-changed', facts: { key: prefix } }] }
            : { difference: goneOf([sessionId]), isDone: true },
        effect: async () =>
          (await readPermit(context.server, prefix, sessionId)) === null ? 'done' : 'as-seen',
      },
      signal,
    );
    return outcomeOf(async () => (await readRow(context, prefix, permitsForm)).semaphore, {
      freed: [semaphoreSubject(action)],
      warnings,
    });
  },
  asks: ({ prefix }) => evictCall({ prefix, permit: '' }),
};

/** Most expired permits in one plan. Their ids come back with the plan. */
const sweepMax = 2_000;

export const sweepSeen = z.strictObject({
  swept: z
    .array(z.strictObject({ prefix: keyForm, permits: z.array(permitForm).max(sweepMax) }))
    .max(prunePrefixesMax),
});

type SweepSeen = z.infer<typeof sweepSeen>;
type Part = SweepSeen['swept'][number];

const sweepCall = ({ prefix, permits }: Part): Call => ({
  script: sweepPermits,
  keys: semaphoreKeys(prefix),
  args: [semaphoreChannel(prefix), ...permits],
});

type Prune = ActionOf<'semaphore.prune'>;

/** `swept`: permits that this removed; `null`: the answer was lost, and a client may have removed some of them. */
async function sweepOne(
  part: Part,
  context: ActContext,
  signal: AbortSignal,
): Promise<{ readonly swept: number | null; readonly warnings: readonly Warning[] }> {
  const { prefix, permits } = part;
  const { facts, warnings } = await perform(
    context,
    {
      call: sweepCall(part),
      lasts: false,
      differs: ({ code }) =>
        code === 'kind'
          ? { difference: [{ code: 'redis-kind-changed', facts: { key: prefix } }] }
          : { difference: goneOf(permits), isDone: true },
      effect: async () => {
        const { permits: there } = await readSemaphore(context.server, prefix);
        return permits.some((id) => there.some((one) => one.id === id)) ? 'as-seen' : 'done';
      },
    },
    signal,
  );
  const [swept] = facts;
  return { swept: swept === undefined ? null : Number(swept), warnings };
}

export const prune: Deed<Prune, SweepSeen> = {
  async plan(action, context) {
    const swept: Part[] = [];
    const idle: string[] = [];
    let room = sweepMax;
    let expired = 0;
    for (const prefix of action.prefixes) {
      const { semaphore, reading } = await readRow(context, prefix);
      if (action.prefixes.length === 1)
        requireAllowed(action, { semaphore: requireSemaphore(context, prefix, semaphore) });
      const isOpen = semaphore?.layout === 'redisson-permits' && inPrefixes(context.settings, prefix);
      const permits = reading.permits
        .filter(({ untilMs }) => isOpen && untilMs <= reading.nowMs)
        .slice(0, room)
        .map(({ id }) => id);
      expired += isOpen ? reading.expired : 0;
      room -= permits.length;
      if (permits.length > 0) swept.push({ prefix, permits });
      else idle.push(prefix);
    }
    const taken = sweepMax - room;
    if (taken === 0) throw refusal('not-held', { code: 'no-ghost', facts: {} });
    const plan: Plan = {
      summary: { code: 'redis-sweep', facts: { semaphores: swept.length, permits: taken } },
      writes: swept.map(({ prefix, permits }) => ({
        operation: 'update',
        target: prefix,
        condition: { code: 'redis-still-over', facts: { permits: permits.length } },
        before: null,
        after: { code: 'gone', facts: {} },
      })),
      touches: [],
      warnings: [
        { code: 'redis-clocks', facts: {} },
        ...(expired > taken
          ? [{ code: 'redis-more-over', facts: { permits: expired - taken } } as const]
          : []),
        ...(idle.length > 0
          ? [
              {
                code: 'left-out',
                facts: { prefixes: idle.length, names: idle.slice(0, 5).join('\n') },
              } as const,
            ]
          : []),
      ],
      undo: { code: 'not-needed', facts: {}, action: null },
      manual: [],
      friction: 'click',
      confirmName: null,
    };
    return { plan, seen: { swept } };
  },
  seen({ prefixes }, expect) {
    const { data } = sweepSeen.safeParse(expect);
    return data?.swept.every(({ prefix }) => prefixes.includes(prefix)) ? data : null;
  },
  saw: ({ swept }) => ({
    ...sawNothing,
    verdict: 'ghost',
    entries: swept.map(({ prefix, permits }) => ({
      key: prefix,
      index: null,
      session: null,
      seen: `${permits.length} expired`,
    })),
  }),
  async apply(action, { swept }, context, signal) {
    const { source, prefixes } = action;
    const [only] = prefixes;
    if (prefixes.length === 1 && only !== undefined) {
      const [part] = swept;
      if (part === undefined) throw refusal('not-held', { code: 'no-ghost', facts: {} });
      const { warnings } = await sweepOne(part, context, signal);
      return outcomeOf(async () => (await readRow(context, only, permitsForm)).semaphore, {
        freed: [semaphoreSubject({ source, prefix: only })],
        warnings,
      });
    }
    const parts: OutcomePart[] = [];
    const freed: Subject[] = [];
    const warnings: Warning[] = [];
    for (const prefix of prefixes) {
      const subject = semaphoreSubject({ source, prefix });
      const part = swept.find((one) => one.prefix === prefix);
      if (part === undefined) {
        parts.push({ subject, done: true, problem: null, detail: { code: 'had-no-ghost', facts: {} } });
        continue;
      }
      try {
        const { swept: ghosts, warnings: own } = await sweepOne(part, context, signal);
        const named = part.permits.map((id) => id.slice(0, 8)).join(', ');
        const detail = ghosts === null ? null : ({ code: 'pruned', facts: { ghosts, named } } as const);
        parts.push({ subject, done: true, problem: null, detail });
        freed.push(subject);
        warnings.push(...own.filter(({ code }) => warnings.every((one) => one.code !== code)));
      } catch (error) {
        // The parts before this one are swept, and the outcome must say so.
        parts.push({ subject, done: false, problem: problemIn(error, signal), detail: null });
      }
    }
    return { done: parts.every(({ done }) => done), freed, after: null, warnings, parts };
  },
  asks: ({ prefixes }) => sweepCall({ prefix: prefixes[0] ?? '', permits: [] }),
};
