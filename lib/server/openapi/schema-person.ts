/** `/api/v1/session`, `/api/v1/rights`, `/api/v1/audit`. */
import { z } from 'zod';
import { type ActionType, actionTypes } from '@/lib/domain/actions/action';
import { auditKinds, type Json } from '@/lib/domain/actions/audit';
import type { ShownRow } from '@/lib/domain/actions/deed';
import type { AccessControl, Identity, NeededFacts, Right } from '@/lib/domain/identity';
import type { Visitor } from '@/lib/domain/visitor';
import type { ChainState } from '@/lib/server/audit/check';
import {
  type FactSchemas,
  flag,
  instant,
  list,
  maybe,
  number,
  object,
  orNull,
  spoken,
  text,
  word,
} from './schema-exact';
import { spokenWhy, why } from './schema-problem';

export const identity = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('token'), id: z.string(), name: z.string() }),
    z.strictObject({ kind: z.literal('proxy'), name: z.string() }),
    z.strictObject({ kind: z.literal('anonymous') }),
  ])
  .describe(
    '`token`: presented a token that Consul knows; `id` is its accessor id, never the secret. `proxy`: named by a proxy that the operator trusts.',
  ) as z.ZodType<Identity>;

const accessControl = word<AccessControl>({ on: true, off: true, unknown: true }).describe(
  'Whether Consul asks for tokens.',
);

/** The server adds the English text of `why` here. */
export const visitor = object<Visitor>()({
  identity,
  accessControl,
  maySee: flag,
  why: orNull(spokenWhy as typeof why),
  writes: z.discriminatedUnion('allowed', [
    z.strictObject({ allowed: z.literal(true), hosts: z.enum(['any', 'loopback']).optional() }),
    z.strictObject({ allowed: z.literal(false), reason: why }),
  ]) as unknown as z.ZodType<Visitor['writes']>,
  endsAtMs: orNull(instant),
  idleEndsAtMs: orNull(instant),
  tokenEndsAtMs: orNull(instant).describe('When Consul will forget the token, where it tells.'),
}).describe('Who asks, and what this server lets them do. Consul has the last word on each read and write.');

const needed: FactSchemas<NeededFacts> = {
  'write-entry': { key: text },
  'write-folder': { prefix: text },
  'write-semaphores': { count: number },
  'end-session': { node: orNull(text) },
  'redis-command': { command: text },
};

const right = word<Right>({ yes: true, no: true, unknown: true });

export const rights = z
  .strictObject({
    rights: z.array(right),
    needs: z
      .array(z.array(spoken(needed)))
      .describe('The rules of Consul that each action takes, as far as they are known.'),
  })
  .describe(
    'One for each action asked for, in their order. `unknown` is no denial: Consul could not be asked.',
  );

// Input from JSON is always valid here.
const json = z.unknown() as unknown as z.ZodType<Json>;
const types = z.enum(actionTypes) as z.ZodType<ActionType>;

export const auditRow = object<ShownRow>()({
  kind: z.enum(auditKinds),
  thread: text,
  who: identity,
  address: orNull(text),
  action: orNull(types),
  subjects: list(text),
  reason: text,
  detail: z
    .record(z.string(), json)
    .describe(
      'Codes and facts. `whom` of an `intent` is a list of `{ session, label, name, node, verdict }`: those that the action hits, as the view showed them then; so is `whom` of each of the `subjects` of a `followed` row: those who came after, and those who waited no longer after a new limit. `null`: not known. Rows of older servers have no `whom`.',
    ),
  atMs: instant,
  replica: text,
  seq: maybe(number),
  before: maybe(text),
  digest: maybe(text),
}).describe(
  'One row of the audit. `seq`, `before` and `digest` are told to those who see all rows: each row holds the SHA-256 of the one before.',
);

export const auditRows = z.strictObject({
  rows: z.array(auditRow),
  older: z.string().nullable().describe('For `below` of the next request; `null`: nothing is older.'),
  part: z.boolean().describe('This caller sees only some of the rows.'),
});

export const chain = object<ChainState>()({
  rows: number,
  brokenAt: orNull(number),
  head: orNull(text),
  checkedAtMs: instant,
}).describe(
  'Whether the chain of the audit is whole. `brokenAt`: the first row that does not fit, or that was cut off under this server.',
);
