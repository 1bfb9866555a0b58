/** Every address of the API with its methods. `test/machines/openapi.test.ts` compares it with the routes. */
import { actions, actionTypes } from '@/lib/domain/actions/action';
import { requestWith } from '@/lib/server/actions/request';
import { bodySchema as signInBody } from '@/lib/server/answers/session';
import { querySchema as auditQuery } from '@/lib/server/audit/query';
import { requestSchema as rightsRequest } from '@/lib/server/identity/rights';
import { filterSchema } from '@/lib/server/live/filter';
import { filterSchema as findingFilter } from '@/lib/server/live/finding-filter';
import { requestSchema as probeRequest } from '@/lib/server/live/probe';
import { changeSchema, wishSchema } from '@/lib/server/sharing/answer';
import { answers, type Json, json, problems, queryOf, reading, ref, requestSchemaOf } from './parts';
import { historyPaths } from './path-history';
import { expect } from './schema-plan';

const inView = {
  prefix: 'Only what begins with this: a string prefix, as in Consul.',
  kind: 'Only rows of this kind.',
};

const aboutEvents = `Server-Sent Events. The first is a \`snapshot\`; then come patches, each joined to the one before by \`from\` and \`to\`.

| event | data | |
| --- | --- | --- |
| \`snapshot\` | Snapshot | whole; takes the place of all before |
| \`patch\` | Patch | what changed |
| \`status\` | Patch | only the source changed |
| \`ping\` | \`{ build, atMs, contactMs }\` | every 2 to 3 s, with the name of the server's build, its time, and when Consul answered it last; silent for 8 s, a server is gone |
| \`again\` | \`{}\` | the last one: come back at once, with your present cookie; nothing is wrong |
| \`signed-out\` | Problem | the last one: the sign-in has ended, or Consul has forgotten the token |

Every event but \`ping\`, \`again\` and \`signed-out\` has an id. Come back with the last one in \`Last-Event-ID\` (or \`since\`), and the
patches since then follow, or a snapshot where they are no longer there.`;

const freely = actionTypes.filter((type) => !actions[type].needsReason).join('`, `');
const aboutActions = `Every action is planned first. \`plan\` writes nothing and answers what would be written, what else that
reaches, and \`expect\`: what it saw, in a form of the server that keeps the locks. \`apply\` takes \`expect\` back unchanged and is refused with \`stale\` and the difference
when it no longer holds. \`unknown-result\` means that the link to Consul broke after sending: look before you act again.
Every action but \`${freely}\` needs a \`reason\` to be applied.`;

const streamed: Json = {
  snapshot: ref('Snapshot'),
  patch: ref('Patch'),
  status: ref('Patch'),
  ping: {
    type: 'object',
    properties: {
      build: { type: 'string' },
      atMs: { type: 'number' },
      contactMs: { type: ['number', 'null'] },
    },
  },
  again: { type: 'object' },
  'signed-out': ref('Problem'),
};

const body = (schema: Json): Json => ({ required: true, content: json(schema) });
const ok = (description: string, schema: Json) => ({ '200': answers(description, json(schema)) });
const anybody = { security: [{}] };

const head = (of: Json): Json => {
  const { operationId, responses, ...rest } = of;
  return {
    ...rest,
    operationId: `${operationId}Head`,
    summary: 'The headers alone.',
    responses: Object.fromEntries(
      Object.entries(responses as Record<string, { description: string }>).map(
        ([status, { description }]) => [status, { description }],
      ),
    ),
  };
};

const read = (of: Json) => ({ get: of, head: head(of) });

const session: Json = {
  get: reading('person', 'Who asks, and what they may do.', {
    operationId: 'session',
    ...anybody,
    responses: { ...ok('For anybody, signed in or not.', ref('Visitor')), ...problems('read') },
  }),
  head: reading('person', 'The headers alone.', {
    operationId: 'sessionHead',
    ...anybody,
    responses: { '200': answers('For anybody.') },
  }),
  post: reading('person', 'Sign in with a Consul token.', {
    operationId: 'signIn',
    ...anybody,
    description: 'For browsers. A program sends its token with each request and needs no cookie.',
    requestBody: body(requestSchemaOf(signInBody)),
    responses: { ...ok('Signed in; the cookie is set.', ref('Visitor')), ...problems('anybody') },
  }),
  put: reading('person', 'Say that the person did something, so that the sign-in stays.', {
    operationId: 'touchSession',
    responses: { ...ok('The cookie is set anew.', ref('Visitor')), ...problems('read') },
  }),
  delete: reading('person', 'Sign out.', {
    operationId: 'signOut',
    responses: { '204': answers('Signed out; the streams of this sign-in end.'), ...problems('read') },
  }),
};

const audit = reading('audit', 'Rows of the audit, newest first.', {
  operationId: 'audit',
  parameters: queryOf(auditQuery, {
    below: 'Where to go on: `older` of the answer before.',
    limit: 'Most rows in one answer as JSON. An export has no such bound.',
    format: '`csv` and `jsonl` are whole, as a download.',
    kind: 'Only rows of this kind.',
    thread: 'Only the rows of one action, sign-in or grant.',
    subject: '`lock:<key>`, `semaphore:<prefix>`, `session:<id>`, or a part of such a name.',
    person: 'A part of the name, or the whole id.',
    action: 'Only actions of this type.',
    outcome: 'Only what came to this.',
    from: 'ISO 8601 or epoch milliseconds. A time without a zone is UTC.',
    to: 'As `from`.',
  }),
  responses: {
    '200': answers('Rows that the caller may see.', {
      ...json(ref('AuditRows')),
      'text/csv': { schema: { type: 'string' } },
      'application/jsonl': { schema: { type: 'string', description: 'An AuditRow on each line.' } },
    }),
    ...problems('read'),
  },
});

const metrics: Json = {
  tags: ['operate'],
  summary: 'Everything for Prometheus.',
  operationId: 'metrics',
  security: [{ metrics: [] }, {}],
  responses: {
    '200': answers('Text format 0.0.4.', { 'text/plain': { schema: { type: 'string' } } }),
    '401': answers('`signed-out`', { 'application/problem+json': { schema: ref('Problem') } }),
    '404': answers('Metrics are off, or need a token that was not set.', {
      'application/problem+json': { schema: ref('Problem') },
    }),
    '421': answers('This server does not answer to that host name.', {
      'application/problem+json': { schema: ref('Problem') },
    }),
  },
};

const document: Json = {
  tags: ['operate'],
  summary: 'This document.',
  ...anybody,
  responses: {
    '200': answers('OpenAPI 3.1.', json({ type: 'object' })),
    ...problems('read'),
  },
};

const grants: Json = {
  ...read(
    reading('share', 'Share links that the caller may manage, newest first.', {
      operationId: 'grants',
      responses: { ...ok('Without their secrets.', ref('Grants')), ...problems('read') },
    }),
  ),
  post: reading('share', 'Make a share link, or sign a token.', {
    operationId: 'share',
    requestBody: body(requestSchemaOf(wishSchema)),
    responses: {
      '201': answers('Made. The secret is in no other answer.', json(ref('NewGrant'))),
      ...problems('write'),
    },
  }),
  patch: reading('share', 'Pause, resume or revoke a share link.', {
    operationId: 'changeGrant',
    requestBody: body(requestSchemaOf(changeSchema)),
    responses: { ...ok('As it is now.', ref('ChangedGrant')), ...problems('write') },
  }),
};

const showing = ['share', 'token'].map((name) => ({
  name,
  in: 'query',
  required: false,
  description: name === 'share' ? 'The secret of a share link.' : 'A signed token, in place of a share link.',
  schema: { type: 'string' },
}));

const embed = (operationId: string, summary: string, content: Json): Json =>
  read({
    tags: ['share'],
    summary,
    operationId,
    ...anybody,
    parameters: showing,
    responses: { '200': answers('What the grant covers, and nothing else.', content), ...problems('read') },
  });

export function paths(): Json {
  return {
    '/api/v1/snapshot': read(
      reading('read', 'Everything in view, at one moment.', {
        operationId: 'snapshot',
        parameters: queryOf(filterSchema, inView),
        responses: { ...ok('A snapshot.', ref('Snapshot')), ...problems('read') },
      }),
    ),
    '/api/v1/events': read(
      reading('read', 'The same, live.', {
        operationId: 'events',
        description: aboutEvents,
        parameters: [
          ...queryOf(filterSchema, inView),
          {
            name: 'since',
            in: 'query',
            required: false,
            description: 'In place of `Last-Event-ID`, for clients that cannot set a header.',
            schema: { type: 'string' },
          },
          {
            name: 'Last-Event-ID',
            in: 'header',
            required: false,
            description: 'The id of the last event that was seen.',
            schema: { type: 'string' },
          },
        ],
        responses: {
          '200': answers('A stream without an end.', {
            'text/event-stream': {
              schema: { type: 'string' },
              // OpenAPI 3.1 cannot describe the items of a stream.
              'x-events': streamed,
            },
          }),
          ...problems('read'),
        },
      }),
    ),
    '/api/v1/findings': read(
      reading('read', 'What needs attention.', {
        operationId: 'findings',
        parameters: queryOf(findingFilter, {
          severity: 'Only these; several are parted by commas.',
          code: 'Only these; several are parted by commas.',
          prefix: 'Only about what begins with this.',
          subject: 'Only about `lock:<key>`, `semaphore:<prefix>` or `session:<id>`.',
        }),
        responses: { ...ok('Findings.', ref('Findings')), ...problems('read') },
      }),
    ),
    ...historyPaths(read),
    '/api/v1/opening': read(
      reading('read', 'What a page of the console shows.', {
        operationId: 'opening',
        description:
          'For the console itself, where a world is too large for a browser (`SIGNALBOX_PAGE_ROWS_MAX`). What `opening` holds changes with the console; programs read the snapshot.',
        parameters: [
          {
            name: 'address',
            in: 'query',
            required: true,
            description: 'Of the page: its path and query.',
            schema: { type: 'string', maxLength: 8_192 },
          },
          {
            name: 'since',
            in: 'query',
            description: 'The `name` of the last answer: `opening` is null where it is still that.',
            schema: { type: 'string', maxLength: 100 },
          },
        ],
        responses: { ...ok('What it shows.', ref('Opening')), ...problems('read') },
      }),
    ),
    '/api/v1/actions': {
      post: reading('act', 'Plan or apply an action.', {
        operationId: 'act',
        description: aboutActions,
        requestBody: body(requestSchemaOf(requestWith(expect))),
        responses: {
          '200': answers(
            'A plan, or what was seen to happen.',
            json({ oneOf: [ref('Planned'), ref('Applied')] }),
          ),
          ...problems('write'),
        },
      }),
    },
    '/api/v1/probe': {
      post: reading('act', 'Ask Consul once whether a lock-delay runs.', {
        operationId: 'probe',
        description:
          'Changes nothing that anyone can see, but costs Consul a write: at most once in 2 s for a key.',
        requestBody: body(requestSchemaOf(probeRequest)),
        responses: { ...ok('What Consul said.', ref('Probed')), ...problems('write') },
      }),
    },
    '/api/v1/rights': {
      post: reading('person', 'What Consul says of the right to actions, before they are tried.', {
        operationId: 'rights',
        requestBody: body(requestSchemaOf(rightsRequest)),
        responses: { ...ok('In the order of the actions.', ref('Rights')), ...problems('anybody') },
      }),
    },
    '/api/v1/session': session,
    '/api/v1/audit': read(audit),
    '/api/v1/audit/chain': read(
      reading('audit', 'Whether the chain of the audit is whole.', {
        operationId: 'auditChain',
        responses: {
          ...ok('As last walked; `checkedAtMs` says when. A long chain is walked more seldom.', ref('Chain')),
          ...problems('read'),
        },
      }),
    ),
    '/api/v1/openapi': read({ ...document, operationId: 'openapi' }),
    '/api/v1/openapi.json': read({ ...document, operationId: 'openapiJson' }),
    '/api/v1/grants': grants,
    '/embed/v1/snapshot': embed(
      'embedSnapshot',
      'What a grant shows, at one moment. Sessions, flags, keys of entries and indexes of Consul are empty.',
      json(ref('Snapshot')),
    ),
    '/embed/v1/events': embed('embedEvents', 'The same, live, until the grant ends.', {
      'text/event-stream': { schema: { type: 'string' }, 'x-events': streamed },
    }),
    '/embed/v1/history': embed(
      'embedHistory',
      'The last 24 hours of a lock or semaphore, where the grant says so (`history`). Findings and who acted are left out.',
      json(ref('History')),
    ),
    '/embed/v1/badge.svg': embed('embedBadge', 'The same, as a picture.', {
      'image/svg+xml': { schema: { type: 'string' } },
    }),
    '/metrics': read(metrics),
    '/healthz': read({
      tags: ['operate'],
      summary: 'The process answers. Says nothing of Consul: a restart would not mend that.',
      operationId: 'healthz',
      ...anybody,
      responses: ok('It is up.', ref('Health')),
    }),
    '/readyz': read({
      tags: ['operate'],
      summary: 'What this server shows can be trusted.',
      operationId: 'readyz',
      ...anybody,
      responses: { ...ok('It can.', ref('Readiness')), '503': answers('It cannot.', json(ref('Readiness'))) },
    }),
  };
}
