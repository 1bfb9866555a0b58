/** Bodies and query strings of the API: JSON of any content, and bent valid requests. */
import fc from 'fast-check';
import type { z } from 'zod';
import { subjectPath } from '@/lib/client/paths';
import { type Action, subjectsOf } from '@/lib/domain/actions/action';
import { actionSchema } from '@/lib/domain/actions/schema';
import { rangeMaxMs } from '@/lib/domain/history/answer';
import { subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import { seenSchema } from '@/lib/providers/consul/actions/expectation';
import { curlDestroy } from '@/lib/providers/consul/actions/manual';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { requestSchema as actionRequest } from '@/lib/server/actions/request';
import { bodySchema as signInBody } from '@/lib/server/answers/session';
import { readAuditQuery } from '@/lib/server/audit/query';
import { readFiguresQuery, readHistoryQuery, readPastQuery } from '@/lib/server/history/asked';
import { columnsSchema } from '@/lib/server/history/columns';
import { requestSchema as rightsRequest } from '@/lib/server/identity/rights';
import { readFilter } from '@/lib/server/live/filter';
import { readFindingFilter } from '@/lib/server/live/finding-filter';
import { requestSchema as probeRequest } from '@/lib/server/live/probe';
import { changeSchema, wishSchema } from '@/lib/server/sharing/answer';
import { shownBy } from '@/lib/server/sharing/embed-credential';
import { looksOf } from '@/lib/server/sharing/embed-looks';
import { anyJson, anyText, mutatedText } from '@/quality/fuzz/bytes';
import { sessionIds } from '@/quality/fuzz/names';
import { claim, target, type Verdict } from '@/quality/fuzz/target';

const [id = ''] = sessionIds;
const entry = { key: 'jobs/.lock', modifyIndex: '7', session: null };
const expect = { entries: [entry], sessions: [id], holdings: { count: 1, digest: 'x' } };

/** One valid action of each kind, to bend. */
export const goodActions: readonly Action[] = [
  { type: 'lock.release', source: 'consul', key: 'jobs/leader', how: 'destroy-session' },
  { type: 'lock.release', source: 'consul', key: 'jobs/leader', how: 'hand-over' },
  { type: 'semaphore.evict', source: 'consul', prefix: 'jobs', sessionId: id, how: 'slot-only' },
  { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs', 'other'] },
  { type: 'semaphore.resize', source: 'consul', prefix: 'jobs', limit: 3 },
  { type: 'session.destroy', source: 'consul', sessionId: id },
  { type: 'lock.delete', source: 'consul', key: 'jobs/leader' },
  { type: 'semaphore.delete', source: 'consul', prefix: 'jobs' },
];
const common = { datacenter: null, values: false, frames: ['https://wiki.example'], label: 'x' };

export const goodBodies: readonly unknown[] = [
  ...goodActions.map((action) => ({ mode: 'plan', action, reason: 'why' })),
  ...goodActions.map((action) => ({ mode: 'apply', action, reason: 'why', expect })),
  { actions: goodActions },
  { key: 'jobs/leader' },
  { token: id },
  { kind: 'link', scope: { view: 'board', prefix: 'jobs', ...common }, lifeMs: 60_000 },
  { kind: 'token', scope: { view: 'lock', key: 'jobs/leader', ...common }, lifeMs: 60_000 },
  { id, change: 'pause' },
  { subjects: ['lock:jobs/leader', 'semaphore:jobs'] },
];

/** A valid body with one member, at any depth, replaced by another value. */
function bent(body: unknown, path: readonly number[], value: unknown): unknown {
  if (typeof body !== 'object' || body === null || path.length === 0) return value;
  const names = Object.keys(body);
  const name = names[(path[0] ?? 0) % Math.max(1, names.length)] ?? 'x';
  const next = bent((body as Record<string, unknown>)[name], path.slice(1), value);
  return Array.isArray(body)
    ? body.map((one, i) => (String(i) === name ? next : one))
    : { ...body, [name]: next };
}

const bodies = fc.oneof(
  anyJson,
  fc
    .tuple(fc.constantFrom(...goodBodies), fc.array(fc.nat(9), { maxLength: 4 }), fc.oneof(anyJson, anyText))
    .map(([body, path, value]) => bent(body, path, value)),
  mutatedText(goodBodies.map((body) => JSON.stringify(body))).map((text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }),
);

const schemas = [
  actionRequest,
  seenSchema,
  actionSchema,
  scopeSchema,
  wishSchema,
  changeSchema,
  probeRequest,
  rightsRequest,
  signInBody,
  columnsSchema,
] as const;
const settings = consulSettings({ CONSUL_HTTP_ADDR: '127.0.0.1:8500' });

/** 2026-11-21, 06:00 UTC. */
const nowMs = 1_795_240_800_000;

/** Runs code that may refuse by a `Problem` only. */
function refusing(run: () => unknown): Verdict {
  try {
    run();
    return 'taken';
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return 'refused';
  }
}

const names = [
  ...[
    'prefix',
    'kind',
    'since',
    'as',
    'key',
    'id',
    'q',
    'show',
    'node',
    'severity',
    'code',
    'subject',
    'below',
  ],
  ...['limit', 'format', 'thread', 'person', 'action', 'outcome', 'from', 'to', 'share', 'token', 'theme'],
  ...['density', 'title', 'lang', 'next', 'source', 'time', 'ends', 'order', 'address', '__proto__', ''],
];
const value = fc.oneof(
  anyText,
  fc.constantFrom(
    'lock',
    'semaphore',
    'json',
    'csv',
    '2026-11-21',
    '2026-11-21T05:00',
    '1e3',
    '0x10',
    'lock:a',
    'prefix:',
    '-24h',
    '-999999d',
    'lost',
    'zh',
  ),
  fc.integer().map(String),
);
export const queries: fc.Arbitrary<readonly (readonly [string, string])[]> = fc.array(
  fc.tuple(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: anyText }),
    value,
  ),
  { maxLength: 4 },
);

export const bodyTargets = [
  target({
    name: 'bodies',
    guarantee:
      'Any JSON body is refused, or understood as something that every part behind the edge can write: in a Consul key, an address, a log line.',
    inputs: bodies,
    check: (body) => {
      const wire = typeof body === 'string' ? body : (JSON.parse(JSON.stringify(body) ?? 'null') as unknown);
      let verdict: Verdict = 'refused';
      for (const schema of schemas) {
        const result = (schema as z.ZodType).safeParse(wire);
        if (!result.success) result.error.issues[0]?.path.join('.');
        else {
          const again = (schema as z.ZodType).safeParse(result.data);
          claim(again.success, 'what was understood is not understood again');
          verdict = 'taken';
        }
      }
      const action = actionSchema.safeParse(wire);
      if (!action.success) return verdict;
      for (const subject of subjectsOf(action.data)) {
        subjectPath(subject);
        claim(!/\p{Surrogate}/u.test(subjectId(subject)), 'a name that is no text');
      }
      if ('sessionId' in action.data) curlDestroy(settings, action.data.sessionId);
      return verdict;
    },
  }),
  target({
    name: 'queries',
    guarantee: 'A query string of any names and values is understood or refused, without an error.',
    inputs: queries,
    check: (pairs) => {
      const query = new URLSearchParams(pairs.map(([name, of]) => [name, of]));
      const headers = new Headers();
      const verdicts = [refusing(() => readFilter(query)), refusing(() => readFindingFilter(query))];
      const audit = refusing(() => {
        const { from, to, limit } = readAuditQuery(Object.fromEntries(query));
        claim(from === null || !Number.isNaN(from), 'an instant that is none');
        claim(to === null || !Number.isNaN(to), 'an instant that is none');
        claim(limit >= 1 && limit <= 1_000, 'a limit beyond its bounds');
      });
      const histories = [readHistoryQuery, readFiguresQuery].map((read) =>
        refusing(() => {
          const { fromMs, toMs } = read(query, nowMs);
          claim(fromMs >= 0 && fromMs < toMs && toMs - fromMs <= rangeMaxMs, 'a range beyond its bounds');
        }),
      );
      const past = refusing(() => {
        const { atMs, limit } = readPastQuery(query, nowMs);
        claim(atMs >= 0 && atMs <= nowMs + 60_000 && limit <= 5_000, 'an instant beyond its bounds');
      });
      shownBy(query);
      const { title } = looksOf(query, headers);
      claim(title === null || title.length <= 120, 'a title beyond its bounds');
      return [...verdicts, ...histories, audit, past].includes('taken') ? 'taken' : 'refused';
    },
  }),
];
