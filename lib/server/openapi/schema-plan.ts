/** Answers of `POST /api/v1/actions`. */
import { z } from 'zod';
import type { Target } from '@/lib/domain/actions/expect';
import type * as P from '@/lib/domain/actions/plan';
import { seenSchema } from '@/lib/providers/consul/actions/expectation';
import { seenSchema as redisSeen } from '@/lib/providers/redis/actions/actions';
import type { spokenOutcome, spokenPlan } from '@/lib/server/http/english';
import {
  type FactSchemas,
  flag,
  list,
  number,
  object,
  orNull,
  saidWith,
  span,
  spoken,
  text,
  word,
} from './schema-exact';
import { action, layout, subject, verdict } from './schema-ground';
import { problemInPart } from './schema-problem';
import { lock, semaphore } from './schema-world';

const summaries: FactSchemas<P.SummaryFacts> = {
  'release-lock': { key: text, holder: text },
  'hand-over-lock': { key: text, holder: text },
  'evict-holder': { prefix: text, holder: text },
  'take-slot': { prefix: text, holder: text },
  'prune-one': { prefix: text, ghosts: number },
  'prune-many': { semaphores: number, ghosts: number },
  'set-limit': { prefix: text, before: number, limit: number },
  'destroy-session': { name: text, node: orNull(text) },
  'delete-lock': { key: text },
  'delete-semaphore': { prefix: text },
  'free-lock': { key: text, holder: text },
  'free-slot': { prefix: text, holder: text },
  'redis-remove-holder': { key: text, holder: text },
  'redis-remove-reader': { key: text, holder: text },
  'redis-remove-waiter': { key: text, waiter: text },
  'redis-wake': { key: text },
  'redis-take-permit': { prefix: text, holder: text },
  'redis-sweep': { semaphores: number, permits: number },
  'redis-return': { prefix: text, permits: number },
  'zookeeper-drop-waiter': { name: text, waiter: text },
  'zookeeper-drop-stuck': { prefix: text, waiter: text },
  'zookeeper-ask': { key: text, holder: text },
  'zookeeper-take-one': { key: text, holder: text },
};

const conditions: FactSchemas<P.ConditionFacts> = {
  'index-is': { index: text },
  'index-and-holder': { index: text, sessionId: text },
  'unchanged-since-reread': {},
  'left-over-then': {},
  'same-ghosts': { index: text },
  'same-limit': { limit: number, index: text },
  'same-hold': { sessionId: text },
  'limit-is': { limit: number },
  'redis-same-holder': { sessionId: text, count: text },
  'redis-same-token': { sessionId: text, token: text },
  'redis-still-waits': { sessionId: text },
  'redis-still-dead': { sessionId: text },
  'redis-lock-open': {},
  'redis-permit-there': { sessionId: text },
  'redis-still-over': { permits: number },
  'redis-available-is': { available: number },
  'zookeeper-same-node': { version: number },
  'zookeeper-same-waiter': { version: number, behind: text },
  'zookeeper-not-granted': { version: number, others: number },
};

const states: FactSchemas<P.StateFacts> = {
  stored: { text },
  'locks-keys': { keys: number },
  'locks-key': { key: text },
  'held-by': { sessionId: text },
  'locked-by': { sessionId: text },
  'holds-slot': { prefix: text },
  'key-free': { key: text },
  'key-deleted': { key: text },
  'free-as-it-was': {},
  gone: {},
  'gone-with-all': {},
};

const touched: FactSchemas<P.TouchFacts> = {
  'slot-to-waiters': { waiters: orNull(number), first: orNull(text) },
  'record-stays': { waiters: orNull(number) },
  'place-in-line': {},
  'behavior-not-known': {},
  'refused-for': { lockDelayMs: span },
  'free-at-once': {},
  'locks-nothing-under': { prefix: text },
};

const warnings: FactSchemas<P.WarningFacts> = {
  'not-conditional': {},
  'lock-delay-protects': { lockDelayMs: orNull(span) },
  'no-lock-delay': { because: z.enum(['semaphore', 'hand-over', 'session']) },
  'split-brain': { node: orNull(text) },
  'command-left': { node: orNull(text) },
  'session-lives-on': { ends: z.enum(['by-ttl', 'never-by-time', 'unknown']) },
  'may-retake': { what: z.enum(['lock', 'slot']) },
  'holds-more': { others: number },
  'holder-notices': { layout, heirs: orNull(number) },
  'next-holder': { waiters: orNull(number), first: orNull(text) },
  'next-holder-unseen': {},
  'waiters-fail': { waiters: orNull(number), limit: number },
  'restarts-fail': { limit: number },
  'limit-forgotten': {},
  'limit-one': {},
  'limit-live': {},
  'over-limit': { holders: number, limit: number },
  'clients-recreate': { what: z.enum(['lock', 'semaphore']) },
  'lock-info-goes': { who: orNull(text) },
  'lock-info-stays': { who: orNull(text) },
  'locks-stay': { entries: number },
  'leftovers-stay': { entries: orNull(number) },
  'layout-caution': { layout },
  'left-out': { prefixes: number, names: text },
  'hidden-stay': { holders: number, ids: text },
  'answer-lost': {},
  'view-incomplete': {},
  'not-read-back': {},
  'next-in-queue': { first: orNull(text) },
  'redis-reentered': { count: number },
  'redis-same-thread': {},
  'redis-fenced': { token: text },
  'redis-multi': { others: number, names: text },
  'redis-clients-wait': { clients: orNull(number) },
  'redis-next-dead': { waiter: text },
  'redis-frees-itself': { withinMs: orNull(span) },
  'redis-readers-stay': { readers: number },
  'redis-one-of-several': {},
  'redis-waiter-dead': {},
  'redis-waiter-returns': {},
  'redis-wake-changes-nothing': {},
  'redis-clocks': {},
  'redis-more-over': { permits: number },
  'redis-below-held': { held: number, limit: number },
  'redis-no-names': {},
  'redis-beyond-limit': { available: number, limit: number },
  'redis-not-replicated': {},
  'redis-setting-stays': { prefix: text, limit: number },
  'zookeeper-requeues': {},
  'zookeeper-lease-requeues': {},
  'zookeeper-latch-two-leaders': {},
  'zookeeper-owns-more': { others: number },
  'zookeeper-session-stays': {},
  'zookeeper-may-not-listen': {},
  'zookeeper-asks-only': {},
  'zookeeper-readers-stay': { readers: number },
  'zookeeper-other-readers-stay': { readers: number },
  'zookeeper-writer-stays': {},
  'zookeeper-stuck-counts': {},
};

const undos: FactSchemas<P.UndoFacts> = {
  'set-limit-back': { limit: number },
  'set-limit-back-late': { limit: number },
  'not-needed': {},
  'none-session': {},
  'none-slot': {},
  'none-hand-over': {},
  'none-delete': {},
  'redis-nothing-to-undo': {},
  'redis-none-permits': {},
};

const notes: FactSchemas<P.NoteFacts> = {
  'ends-session': { sessionId: text },
  'ends-session-holding': { sessionId: text, key: text },
  'then-off-record': {},
  'frees-slot': {},
  'in-two-steps': {},
  unlocks: { key: text },
  'unlocks-by-session': { key: text },
  'prunes-ghosts': { key: text, ghosts: text },
  'writes-limit': { key: text, limit: number },
  'deletes-while': { key: text, index: text },
  'deletes-entries': {},
  'no-session-command': {},
  'redis-script': {},
  'zookeeper-deletes': { path: text, version: number },
  'zookeeper-sets': { path: text, version: number },
  'zookeeper-no-command': {},
};

const partFacts: FactSchemas<P.PartFacts> = {
  pruned: { ghosts: number, named: text },
  'had-no-ghost': {},
};

type SpokenPlan = ReturnType<typeof spokenPlan>;
type SpokenOutcome = ReturnType<typeof spokenOutcome>;

const warning = spoken<P.WarningFacts>(warnings);

const write = object<SpokenPlan['writes'][number]>()({
  operation: word<P.PlannedWrite['operation']>({
    update: true,
    delete: true,
    unlock: true,
    'destroy-session': true,
  }),
  target: text,
  condition: orNull(spoken<P.ConditionFacts>(conditions)),
  before: orNull(spoken<P.StateFacts>(states)),
  after: orNull(spoken<P.StateFacts>(states)),
}).describe('One write. It is made only while its condition holds; `null` where Consul offers none.');

const touch = object<SpokenPlan['touches'][number]>()({
  subject,
  effect: word<P.Touch['effect']>({ released: true, deleted: true, fails: true, 'loses-slot': true }),
  who: orNull(object<NonNullable<P.Touch['who']>>()({ label: text, node: orNull(text) })),
  detail: orNull(spoken<P.TouchFacts>(touched)),
}).describe('Something else that the action reaches.');

export const plan = object<SpokenPlan>()({
  summary: spoken<P.SummaryFacts>(summaries),
  writes: list(write),
  touches: list(touch),
  warnings: list(warning),
  undo: saidWith<P.UndoFacts, { readonly action: P.Undo['action']; readonly text: string }>(undos, {
    action: orNull(action),
    text,
  }),
  manual: list(
    object<SpokenPlan['manual'][number]>()({
      tool: word<P.ManualStep['tool']>({ curl: true, consul: true, 'redis-cli': true, 'zkCli.sh': true }),
      note: spoken<P.NoteFacts>(notes),
      command: orNull(text),
    }),
  ),
  friction: word<P.Plan['friction']>({ click: true, reason: true, 'type-name': true }),
  confirmName: orNull(text),
}).describe('What the action will write, what else it reaches, and what to know before.');

/** Only the provider itself parses it. */
export const expect = z
  .union([seenSchema, redisSeen])
  .describe(
    'What a plan saw. Each kind of source has forms of its own, those of Consul and Redis among them: send back what came.',
  );

const target = object<Target>()({ sessions: list(text), verdict: orNull(verdict) }).describe(
  'The sessions that the plan is about, and what was concluded of the one that it hits.',
);

export const planned = z
  .strictObject({ plan, expect, saw: target })
  .describe(
    'Send `expect` back unchanged with `apply`: it is refused when what the plan saw no longer holds.',
  );

const part = object<SpokenOutcome['parts'][number]>()({
  subject,
  done: flag,
  problem: orNull(problemInPart),
  detail: orNull(spoken<P.PartFacts>(partFacts)),
});

export const outcome = object<SpokenOutcome>()({
  done: flag,
  freed: list(subject),
  after: orNull(z.union([lock, semaphore]) as z.ZodType<NonNullable<P.Outcome['after']>>),
  warnings: list(warning),
  parts: list(part),
}).describe('What was seen to happen. `done: false`: a part of a batch was refused.');

export const applied = z.strictObject({ outcome });
