/** `application/problem+json` (RFC 9457) with a stable code. */
import { z } from 'zod';
import { type Problem, problemCodes } from '@/lib/domain/problem';
import type { Difference, DifferenceFacts, Why, WhyFacts } from '@/lib/domain/refusal';
import type { spokenProblem } from '@/lib/server/http/english';
import {
  type FactSchemas,
  list,
  maybe,
  number,
  object,
  orNull,
  said,
  span,
  spoken,
  text,
} from './schema-exact';
import { verdict } from './schema-ground';

interface WithWords extends Omit<Problem, 'why' | 'difference'> {
  readonly why?: (Why & { readonly text: string }) | null;
  readonly difference?: readonly (Difference & { readonly text: string })[];
}

const whyFacts: FactSchemas<WhyFacts> = {
  'lock-not-in-view': {},
  'semaphore-not-in-view': {},
  'session-not-in-view': {},
  'nobody-holds': {},
  'key-gone': {},
  'holder-unknown': {},
  'lock-held': {},
  'not-holder': { sessionId: text },
  'not-waiter': { sessionId: text },
  'not-offered-here': {},
  'limit-not-stored': {},
  'several-hold': { holders: number },
  'is-ghost': { sessionId: text },
  'not-a-session': { name: text },
  'locks-nothing-here': { sessionId: text },
  'no-ghost': {},
  'name-not-sure': {},
  'key-refused': {},
  'not-understood': {},
  'limit-already': { limit: number },
  'below-recorded': { recorded: number },
  'holders-recorded': { recorded: number },
  'sessions-wait': { waiters: number },
  'no-lock': { key: text },
  'no-semaphore': { prefix: text },
  'no-session': { sessionId: text },
  'no-entry': { key: text },
  'outside-view': { name: text },
  'entry-locked': {},
  'prefixes-not-readable': {},
  'idle-not-sure': {},
  'transaction-refused': {},
  'changed-since': {},
  'done-before': {},
  'not-in-plan': { name: text },
  'not-of-plan': { where: text },
  'write-not-seen': {},
  'state-not-readable': {},
  'entry-delayed': { key: text },
  'session-hidden': { sessionId: text },
  'entry-busy': { tries: number },
  'given-up': {},
  'record-left': {},
  'not-offered': {},
  'file-busy': {},
  'request-not-understood': { where: orNull(text) },
  'reason-needed': {},
  'other-site': {},
  'not-json': {},
  'wrong-type': {},
  'too-large': { bytesMax: number },
  'address-too-long': { lengthMax: number },
  'wrong-method': { allowed: text },
  'server-bug': { id: text },
  'actions-off': {},
  'not-this-machine-alone': {},
  'this-machine-only': {},
  'too-many-pages': {},
  'too-many-pages-of-address': { max: number },
  'too-many-pages-of-person': { max: number },
  'read-only-mode': {},
  'sign-in-to-see': {},
  'sign-in-to-act': {},
  'access-unknown': {},
  'signed-out-idle': {},
  'signed-out-expired': {},
  'no-sign-in-here': {},
  'signed-out-elsewhere': {},
  'somebody-else': {},
  'sign-in-not-readable': {},
  'too-many-people': { max: number },
  'too-many-rights': { max: number, retryAfterMs: span },
  'too-often': { retryAfterMs: span },
  'too-many-actions': { max: number },
  'audit-budget': { retryAfterMs: span },
  'other-host': {},
  'audit-not-written': {},
  'audit-in-part': {},
  'audit-not-read': {},
  'store-not-reached': {},
  'embeds-off': {},
  'no-embed-keys': {},
  'not-granted': {},
  'no-grant': {},
  'grant-over': {},
  'grant-end-past': {},
  'grant-beyond-reach': {},
  'grant-reach-unknown': {},
  'grant-maker-gone': {},
  'grant-server-narrow': {},
  'too-many-grants': { max: number },
  'token-needs-grant': {},
  'server-answered': { status: number },
  'server-not-reached': {},
  'probed-just-now': {},
  'no-source': { source: text, known: text },
  'no-probe': {},
  'second-sign-in': {},
  'metrics-off': {},
  'metrics-token-needed': {},
  'no-answer': { timeoutMs: span },
  'not-reached': { errno: text },
  'connection-broke': {},
  'connection-not-taken': {},
  'answer-not-readable': { call: text },
  'answer-too-large': { bytes: number },
  'world-too-large': { bytes: number },
  'token-unknown': {},
  'token-refused': {},
  'rate-limited': {},
  'leader-rate-limited': {},
  'connections-capped': {},
  'name-unknown': {},
  'write-too-large': { bytes: orNull(number) },
  'no-leader-now': {},
  'no-server-known': {},
  'leader-lost': {},
  'old-copy': {},
  'call-refused': { call: text, status: number },
  'call-failed': { call: text, status: number },
  'file-not-read': { errno: text },
  'file-not-understood': { where: text },
};

const differenceFacts: FactSchemas<DifferenceFacts> = {
  'entry-came': { key: text, index: text },
  'entry-gone': { key: text },
  'entry-replaced': { key: text },
  'holder-changed': { key: text, before: orNull(text), now: orNull(text) },
  'index-changed': { key: text, before: orNull(text), now: text },
  'limit-changed': { before: text, now: text },
  'ghosts-changed': { before: text, now: text },
  'session-gone': { sessionId: text },
  'verdict-changed': { sessionId: text, before: verdict, now: verdict },
  'verdict-lost': { sessionId: text, before: verdict, now: verdict },
  'hold-retaken': { key: text, sessionId: text },
  'holdings-changed': { sessionId: text, before: number, now: number, keys: text },
};

export const why = said<WhyFacts>(whyFacts);
export const spokenWhy = spoken<WhyFacts>(whyFacts);
export const difference = said<DifferenceFacts>(differenceFacts);
export const spokenDifference = spoken<DifferenceFacts>(differenceFacts);

export const problemCode = z.enum(problemCodes).describe('Stable. What to do next follows from it.');

/** In the source of a snapshot: without English. */
export const problem = object<Problem>()({
  code: problemCode,
  why: maybe(orNull(why)),
  difference: maybe(list(difference)),
  detail: maybe(text),
});

const spokenFields = {
  code: problemCode,
  why: maybe(orNull(spokenWhy)),
  difference: maybe(list(spokenDifference)),
  detail: maybe(text),
};

/** Inside of an outcome. */
export const problemInPart = object<WithWords>()(spokenFields) as z.ZodType<ReturnType<typeof spokenProblem>>;

export const problemAnswer = z
  .strictObject({
    type: z.literal('about:blank'),
    title: problemCode,
    status: z.int().min(400).max(599),
    ...spokenFields,
  })
  .describe(
    'RFC 9457. `code` is stable; `why` is what happened, as a code with facts; `detail` is English; `difference`, with `stale`, is what is not as the plan saw it.',
  );
