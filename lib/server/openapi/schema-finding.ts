/** Findings on the wire. */
import { z } from 'zod';
import type { Capabilities } from '@/lib/domain/capabilities';
import {
  type Easing,
  type EndlessVerdict,
  type Finding,
  type FindingCode,
  type FindingFacts,
  type Ground,
  severities,
} from '@/lib/domain/findings/finding';
import {
  type FactSchemas,
  instant,
  list,
  number,
  object,
  orNull,
  saidWith,
  span,
  text,
  word,
} from './schema-exact';
import {
  action,
  evidence,
  lockLayout,
  semaphoreLayout,
  semaphoreProblemCode,
  subject,
  verdict,
} from './schema-ground';

const waitingIfSeen = orNull(number).describe(
  '`null` for a lock, whose waiters cannot be seen, and where none is seen and others may wait.',
);
const countIfSeen = orNull(number).describe('`null`: none is seen, and there may be others.');
const holds = word<Capabilities['holds']>({ session: true, lease: true, entry: true }).describe(
  'By what its holders hold: a session, a lease or an entry of their own.',
);
const full = z.literal([0, 1]).describe('1: every slot is taken, and others wait for one.');

const facts: FactSchemas<FindingFacts> = {
  'ghost-slots': { ghosts: number, recorded: number, waiting: countIfSeen, holds },
  'over-limit': { effective: number, limit: number, layout: semaphoreLayout },
  'overdue-holder': { holders: number, label: text, waiting: waitingIfSeen, full, holds },
  'suspect-holder': {
    holders: number,
    label: text,
    waiting: waitingIfSeen,
    full,
    endless: z.literal([0, 1]),
    holds,
  },
  'endless-holder': {
    holders: number,
    verdict: word<EndlessVerdict>({ immortal: true, 'node-bound': true }),
    label: text,
    node: orNull(text),
    onServer: z.literal([0, 1]),
    waiting: waitingIfSeen,
    holds,
  },
  'unreadable-entry': {
    problem: semaphoreProblemCode,
    detail: orNull(text),
    contenders: countIfSeen,
    named: orNull(number),
  },
  'wrong-flags': { flags: orNull(text), contenders: countIfSeen },
  'limit-disagreement': { limit: number, asked: orNull(number), clients: number, waiting: number },
  herd: { crowd: number, waiting: number, limit: orNull(number) },
  flapping: { changes: number, windowMs: span, holdMs: span },
  deadlock: { clients: number, first: text, second: text, behind: number, owners: number },
  'dead-queue-head': {
    label: text,
    behind: number,
    free: z.literal([0, 1]).describe('1: nobody holds it, or a slot is free.'),
  },
  'sleeping-waiters': { waiting: number },
  'sleeping-readers': { waiting: number },
  'same-thread-removed': { label: text },
  'no-lock-delay': { label: text, delayMs: span, layout: lockLayout },
  'session-leak': { name: text, node: text },
};

const ground = object<Ground>()({
  subject,
  label: orNull(text),
  verdict: orNull(verdict),
  evidence: list(evidence),
  wants: list(subject),
  mend: orNull(action),
});

/** All of them: `facts` is complete. */
export const findingCode = z.enum(Object.keys(facts) as [FindingCode, ...FindingCode[]]);

export const severity = z.enum(severities);

type Besides = Pick<Finding, 'id' | 'severity' | 'easing' | 'subject' | 'also' | 'grounds' | 'mend'>;
const besides = {
  id: text,
  severity,
  easing: orNull(object<Easing>()({ to: severity, atMs: instant })).describe(
    'The severity is higher than what is there now, and falls to `to` at `atMs` if it stays so; `null`: it is that of now.',
  ),
  subject,
  also: list(subject),
  grounds: list(ground),
  mend: orNull(action).describe('The action that mends it; `null` where none of ours does.'),
};

export const finding: z.ZodType<Finding> = saidWith<FindingFacts, Besides>(facts, besides).describe(
  'What needs attention.',
);

/** A finding as `/api/v1/findings` answers it, with English. */
export const spokenFinding = saidWith<
  FindingFacts,
  Besides & { readonly text: string; readonly who: string }
>(facts, { ...besides, text, who: text }).describe('A finding, with English for people in `text` and `who`.');

export const findingCodes = Object.keys(facts);
