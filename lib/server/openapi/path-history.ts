/** `/api/v1/history` in the document of the API. */
import { figuresSchema, querySchema as historyQuery } from '@/lib/server/history/asked';
import { answers, json, problems, queryOf, reading, ref } from './parts';

const times = {
  from: 'Epoch milliseconds, ISO 8601, or `-24h` (s, m, h, d). A time without a zone is UTC. 24 h before `to` unless said.',
  to: 'As `from`; now unless said. At most 31 days after `from`.',
};

const aboutHistory = `From Signalbox's own watching, not from the backend, which keeps none. Where Signalbox did not look there is a
gap, and nothing is known of it. Whoever may not read a key now gets the answer of one that is not there.`;

export const history = reading('read', 'What was seen of locks and semaphores over time.', {
  operationId: 'history',
  description: aboutHistory,
  parameters: queryOf(historyQuery, {
    subject:
      '`lock:<key>`, `semaphore:<prefix>`, `session:<id>` (what it held and waited for), or `prefix:<text>`.',
    source: 'The source that it is in; `consul` unless said. A prefix is looked for in every source then.',
    ...times,
    limit: 'Most rows of each kind; the newest are kept, and `more` says so.',
    format: '`csv`: the holds. `jsonl`: every row, with its `kind`. Both as a download.',
  }),
  responses: {
    '200': answers('What the caller may read now.', {
      ...json(ref('History')),
      'text/csv': { schema: { type: 'string' } },
      'application/jsonl': { schema: { type: 'string' } },
    }),
    ...problems('read'),
  },
});

export const historyFigures = reading('read', 'What was held and lost below a prefix, in figures.', {
  operationId: 'historyFigures',
  description: aboutHistory,
  parameters: queryOf(figuresSchema, {
    prefix: 'Only locks and semaphores whose name begins with this.',
    source: 'Only of this source.',
    ...times,
  }),
  responses: {
    '200': answers('Of what the caller may read now.', json(ref('HistoryFigures'))),
    ...problems('read'),
  },
});
