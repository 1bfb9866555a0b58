import { z } from 'zod';
import { type Action, actionSchema } from '@/lib/domain/actions/schema';
import type { LockLayout, SemaphoreLayout } from '@/lib/domain/layout';
import type {
  Evidence,
  EvidenceCode,
  SemaphoreProblemCode,
  StoredValue,
  Subject,
  Verdict,
} from '@/lib/domain/model';
import { flag, instant, number, object, orNull, text, word } from './schema-exact';

/** A zod/mini schema, for the browser; the two share their core. */
export const action = actionSchema as unknown as z.ZodType<Action>;

export const subject = z
  .discriminatedUnion('kind', [
    z.strictObject({ source: z.string(), kind: z.literal('lock'), key: z.string() }),
    z.strictObject({ source: z.string(), kind: z.literal('semaphore'), prefix: z.string() }),
    z.strictObject({ source: z.string(), kind: z.literal('session'), id: z.string() }),
  ])
  .describe(
    'What a row, a finding or an action is about.',
  ) satisfies z.ZodType<Subject> as z.ZodType<Subject>;

export const storedValue = object<StoredValue>()({
  encoding: word<StoredValue['encoding']>({ text: true, base64: true }),
  content: text,
  bytes: number,
  truncated: flag,
}).describe('A stored value as it is; `bytes` is its whole length.');

export const verdict = word<Verdict>({
  alive: true,
  overdue: true,
  suspect: true,
  'node-bound': true,
  immortal: true,
  ghost: true,
  unknown: true,
}).describe('What is concluded about a holder; the evidence says from what.');

const evidenceCode = word<EvidenceCode>({
  'session-exists': true,
  'session-not-visible': true,
  'session-not-listed': true,
  'holds-entry': true,
  'recorded-as-holder': true,
  'no-entry-locked': true,
  'name-of-no-session': true,
  'may-need-no-entry': true,
  'view-incomplete': true,
  ttl: true,
  'no-ttl': true,
  'no-checks': true,
  'node-checks-only': true,
  'server-node': true,
  'bound-to-server': true,
  'node-passing': true,
  'node-critical': true,
  'node-gone': true,
  'node-unknown': true,
  'check-critical': true,
  'check-warning': true,
  'check-unknown': true,
  'checks-passing': true,
  'renewals-not-observed': true,
  'renewal-observed': true,
  'renewal-overdue': true,
  'renewals-elsewhere': true,
  'timers-restarted': true,
  'limit-changed-while-waiting': true,
  'evidence-withheld': true,
  'lease-runs': true,
  'redis-lease-runs': true,
  'redis-lease-renewed': true,
  'redis-renewal-overdue': true,
  'redis-lease-fixed': true,
  'redis-no-lease': true,
  'redis-permit-over': true,
  'redis-client': true,
  'redis-thread': true,
  'redis-subscribed': true,
  'redis-not-subscribed': true,
  'redis-not-asked': true,
  'redis-writer-reads-on': true,
  'redis-sleep-ends': true,
  'redis-thread-lost': true,
  'zookeeper-session': true,
  'zookeeper-sessions-unread': true,
  'zookeeper-session-unlisted': true,
  'zookeeper-connected': true,
  'zookeeper-no-connection': true,
  'zookeeper-timeout': true,
  'zookeeper-likely-selector': true,
  'zookeeper-asked': true,
  'zookeeper-listens': true,
  'zookeeper-reads-as-writer': true,
  'zookeeper-may-read-already': true,
  'zookeeper-unknown-client': true,
  'zookeeper-part-hidden': true,
  'zookeeper-lease-pending': true,
  'zookeeper-place-gone': true,
});

export const evidence = object<Evidence>()({
  code: evidenceCode,
  source: text.describe(
    'Where it was read. Consul: `kv`, `session`, `catalog`, `agent`; `signalbox` is what Signalbox saw itself. Other backends have their own.',
  ),
  detail: orNull(text),
  atMs: orNull(instant),
}).describe('One fact behind a verdict, with where it was read.');

export const lockLayout = word<LockLayout>({
  'go-lock': true,
  'consul-lock': true,
  terraform: true,
  vault: true,
  'patroni-leader': true,
  'patroni-member': true,
  'consul-template': true,
  'consul-esm': true,
  'java-lock': true,
  plain: true,
  'stand-in-lock': true,
  'redisson-lock': true,
  'redisson-fenced': true,
  'redisson-fair': true,
  'redisson-read-write': true,
  'redisson-faster-multi': true,
  redlock: true,
  'curator-mutex': true,
  'curator-latch': true,
  'curator-read-write': true,
  'zookeeper-other': true,
}).describe('Which client library wrote it, as far as its shape tells.');

export const semaphoreLayout = word<SemaphoreLayout>({
  'go-semaphore': true,
  'guide-list': true,
  'java-semaphore': true,
  unreadable: true,
  'stand-in-semaphore': true,
  'redisson-semaphore': true,
  'redisson-permits': true,
  'redisson-latch': true,
  'curator-semaphore': true,
  'curator-semaphore-shared': true,
}).describe('Which client library wrote it, as far as its shape tells.');

export const layout = z.union([lockLayout, semaphoreLayout]) as z.ZodType<LockLayout | SemaphoreLayout>;

export const semaphoreProblemCode = word<SemaphoreProblemCode>({
  'empty-value': true,
  'not-json': true,
  'not-utf8': true,
  'not-an-object': true,
  'limit-missing': true,
  'limit-not-integer': true,
  'limit-below-one': true,
  'holders-missing': true,
  'holders-wrong-type': true,
  'holder-not-a-session': true,
  'duplicate-holders': true,
  'holder-repeated': true,
  'duplicate-fields': true,
  'wrong-flags': true,
  'entry-missing': true,
  'unknown-fields': true,
});
