import { z } from 'zod';
import { type ProblemCode, problemCodes } from '@/lib/domain/problem';
import { statusOf } from '@/lib/server/http/http';
import { finding, spokenFinding } from './schema-finding';
import { changedGrant, grant, grants, newGrant } from './schema-grant';
import { action, evidence, storedValue, subject } from './schema-ground';
import {
  findingEpisode,
  gap,
  historyAnswer,
  historyFigures,
  hold,
  hourFigures,
  limitChange,
  wait,
} from './schema-history';
import { columnsAnswer, hourColumn, pastAnswer } from './schema-past';
import { auditRow, auditRows, chain, identity, rights, visitor } from './schema-person';
import { applied, expect, outcome, plan, planned } from './schema-plan';
import { problem, problemAnswer, spokenWhy, why } from './schema-problem';
import {
  edit,
  lock,
  party,
  patch,
  renewal,
  rowEdit,
  semaphore,
  session,
  snapshot,
  source,
  waiter,
} from './schema-world';

export type Json = Readonly<Record<string, unknown>>;

export const findingsAnswer = z.strictObject({
  version: z.number(),
  asOfMs: z.number(),
  source,
  findings: z.array(spokenFinding),
});

export const openingAnswer = z.strictObject({
  name: z.string(),
  build: z.string(),
  atMs: z.number(),
  contactMs: z.number().nullable(),
  opening: z.looseObject({}).nullable(),
});

export const probed = z.strictObject({
  answer: z.enum(['delayed', 'not-delayed', 'cannot-tell']),
  atMs: z.number(),
});

export const health = z.strictObject({ status: z.literal('ok') });
export const readiness = z
  .strictObject({ status: z.enum(['live', 'catching-up', 'stale', 'down', 'sign-in']) })
  .describe(
    '`sign-in`: this server has no token of its own before a Consul that asks for one; everybody sees with theirs.',
  );

export const named = {
  Snapshot: snapshot,
  Patch: patch,
  RowEdit: rowEdit,
  Edit: edit,
  Source: source,
  Lock: lock,
  Semaphore: semaphore,
  Session: session,
  Renewal: renewal,
  Holder: party,
  Waiter: waiter,
  Evidence: evidence,
  StoredValue: storedValue,
  Subject: subject,
  Finding: finding,
  SpokenFinding: spokenFinding,
  Findings: findingsAnswer,
  Opening: openingAnswer,
  Action: action,
  Expect: expect,
  Plan: plan,
  Planned: planned,
  Outcome: outcome,
  Applied: applied,
  Problem: problemAnswer,
  SourceProblem: problem,
  Why: spokenWhy,
  BareWhy: why,
  Probed: probed,
  Identity: identity,
  Visitor: visitor,
  Rights: rights,
  AuditRow: auditRow,
  AuditRows: auditRows,
  Chain: chain,
  History: historyAnswer,
  HistoryHold: hold,
  HistoryWait: wait,
  HistoryFinding: findingEpisode,
  HistoryLimit: limitChange,
  HistoryGap: gap,
  HistoryHour: hourFigures,
  Past: pastAnswer,
  HourColumn: hourColumn,
  HourColumns: columnsAnswer,
  HistoryFigures: historyFigures,
  Grant: grant,
  Grants: grants,
  NewGrant: newGrant,
  ChangedGrant: changedGrant,
  Health: health,
  Readiness: readiness,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type Name = keyof typeof named;

const prefix = '#/components/schemas/';
export const ref = (name: Name): Json => ({ $ref: `${prefix}${name}` });

function inner(schema: Json): Json {
  const { $schema: _dialect, $id: _id, '~standard': _standard, ...rest } = schema;
  return rest;
}

/** Answers are open in the document, so that new fields do not break clients, and closed in the tests. */
export function componentSchemas(): Json {
  const registry = z.registry<{ id?: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const sent = new Set<unknown>([action, expect]);
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `${prefix}${id}`,
    override: ({ zodSchema, jsonSchema }) => {
      const description = z.globalRegistry.get(zodSchema)?.description;
      if (description !== undefined) jsonSchema.description ??= description;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const plain = inner(JSON.parse(JSON.stringify(schema)) as Json);
      return [name, sent.has(named[name as Name]) ? plain : opened(plain)];
    }),
  );
}

/** Open to fields that it does not name. */
function opened(value: unknown): Json {
  const walk = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one)
        .filter(([name, member]) => name !== 'additionalProperties' || member !== false)
        .map(([name, member]) => [name, walk(member)]),
    );
  };
  return walk(value) as Json;
}

/** Schemas from `named` are repeated in it, not referenced. */
export function requestSchemaOf(schema: z.core.$ZodType): Json {
  return inner(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))) as Json);
}

export function queryOf(
  schema: z.ZodObject,
  descriptions: Readonly<Record<string, string>>,
): readonly Json[] {
  const read = (io: 'input' | 'output') =>
    (z.toJSONSchema(schema, { io, unrepresentable: 'any' }).properties ?? {}) as Record<string, Json>;
  const [given, taken] = [read('input'), read('output')];
  return Object.keys(schema.shape).map((name) => {
    // A coerced parameter accepts any input, so its output type says more.
    const known = Object.keys(given[name] ?? {}).some((key) => key !== 'default');
    return {
      name,
      in: 'query',
      required: false,
      description: descriptions[name] ?? '',
      schema: withoutNull((known ? given[name] : taken[name]) ?? {}),
    };
  });
}

/** No client can send `null`. */
function withoutNull(schema: Json): Json {
  const { default: fallback, ...rest } = schema;
  const base = fallback === null || fallback === undefined ? rest : schema;
  const { anyOf } = base as { anyOf?: readonly Json[] };
  const others = anyOf?.filter((one) => one.type !== 'null');
  if (others?.length !== 1) return base;
  const { anyOf: _, ...besides } = base as Json & { anyOf?: unknown };
  return { ...besides, ...others[0] };
}

export const json = (schema: Json): Json => ({ 'application/json': { schema } });

/** An operation, in its group. */
export const reading = (tag: string, summary: string, more: Json): Json => ({
  tags: [tag],
  summary,
  ...more,
});

/** A successful answer. */
export const answers = (description: string, content?: Json): Json => ({
  description,
  ...(content === undefined ? {} : { content }),
});

/** Statuses that are more precise than the code in the body. */
const atTheEdge: Readonly<Record<number, string>> = {
  404: 'There is nothing at this address.',
  405: 'Another method; `allow` says which.',
  414: 'The address is too long.',
  421: 'This server does not answer to that host name.',
  429: 'Too often; `retry-after` says when.',
  500: 'A mistake of this server. `why.facts.id` finds it in its log.',
};
const withBody: Readonly<Record<number, string>> = {
  413: 'The body is too large.',
  415: 'The body is no JSON.',
};

const ofWrites: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'stale',
  'not-held',
  'not-found',
  'conflict-in-use',
  'unwritable',
  'read-only',
  'unknown-result',
]);

/** Problems by status, from the server's own table. */
export function problems(kind: 'read' | 'write' | 'anybody'): Json {
  const descriptions = new Map<number, string>(
    Object.entries(atTheEdge).map(([status, text]) => [Number(status), text]),
  );
  if (kind !== 'read')
    for (const [status, text] of Object.entries(withBody)) descriptions.set(Number(status), text);
  for (const code of problemCodes) {
    if (kind === 'read' && ofWrites.has(code)) continue;
    const status = statusOf[code];
    const before = descriptions.get(status);
    descriptions.set(status, `${before === undefined ? '' : `${before} `}\`${code}\``.trim());
  }
  return Object.fromEntries(
    [...descriptions]
      .sort(([a], [b]) => a - b)
      .map(([status, text]) => [
        String(status),
        { description: text, content: { 'application/problem+json': { schema: ref('Problem') } } },
      ]),
  );
}
