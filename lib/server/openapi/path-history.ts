/** `/api/v1/history` and what is below it in the document of the API. */
import { figuresSchema, querySchema as historyQuery, pastSchema } from '@/lib/server/history/asked';
import { columnsSchema } from '@/lib/server/history/columns';
import { answers, type Json, json, problems, queryOf, reading, ref, requestSchemaOf } from './parts';

const times = {
  from: 'Epoch milliseconds, ISO 8601, or `-24h` (s, m, h, d). A time without a zone is UTC. 24 h before `to` unless said.',
  to: 'As `from`; now unless said. At most 31 days after `from`.',
};

const aboutHistory = `From Signalbox's own watching, not from the backend, which keeps none. Where Signalbox did not look there is a
gap, and nothing is known of it. Whoever may not read a key now gets the answer of one that is not there.`;

const history = reading('read', 'What was seen of locks and semaphores over time.', {
  operationId: 'history',
  description: aboutHistory,
  parameters: queryOf(historyQuery, {
    subject:
      '`lock:<key>`, `semaphore:<prefix>`, `session:<id>` (what it held and waited for, and the findings about itself), or `prefix:<text>`.',
    source: 'The source that it is in; `consul` unless said. A prefix is looked for in every source then.',
    ...times,
    limit: 'Most rows of each kind; the newest are kept, and `more` says so.',
    ends: '`lost`: of holds and waits only those that ended in this time otherwise than by being released or by getting in, in the order of their ends. Released ones push none of them out. What ended unseen, in a gap, is not among them, nor is a wait that was given up.',
    format:
      '`csv`: the holds. `jsonl`: every row, with its `kind` (`episode`, `wait`, `finding`, `limit`, `gap`, `hour`), and where the oldest were left out a last line of the kind `more`. Both as a download; their header `signalbox-more` says the same, and the name of the file ends with `-newest`.',
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

const past = reading('read', 'The locks and semaphores as they were at one instant.', {
  operationId: 'historyAt',
  description: `${aboutHistory} A source in a gap is \`unseen\`: none of its rows is in the answer.`,
  parameters: queryOf(pastSchema, {
    time: 'Epoch milliseconds, ISO 8601, or `-20m` (s, m, h, d). A time without a zone is UTC.',
    subject: '`lock:<key>`, `semaphore:<prefix>` or `prefix:<text>`. Everything unless said.',
    source: 'As for the history.',
    limit: 'Most rows of each kind; `more` says that there are others.',
  }),
  responses: {
    '200': answers('What the caller may read now, of then.', json(ref('Past'))),
    ...problems('read'),
  },
});

const columns = {
  post: reading('read', 'The last hour of some locks and semaphores, each as one path to draw.', {
    operationId: 'historyColumns',
    description:
      'Changes nothing; it is a POST because names are long. At most 200 subjects, as `lock:<key>` or `semaphore:<prefix>`, with `<source>!` before it unless that is `consul`. Those that the caller may not read are absent from the answer, and so are permits whose holders the backend does not name. It is read at most every 10 s.',
    requestBody: { required: true, content: json(requestSchemaOf(columnsSchema)) },
    responses: {
      '200': answers('What the caller may read now.', json(ref('HourColumns'))),
      ...problems('anybody'),
    },
  }),
};

const historyFigures = reading('read', 'What was held and lost below a prefix, in figures.', {
  operationId: 'historyFigures',
  description: aboutHistory,
  parameters: queryOf(figuresSchema, {
    prefix: 'Only locks and semaphores whose name begins with this.',
    source: 'Only of this source.',
    order: 'Which part comes first: the most held one, or the one with the most holds that were lost.',
    ...times,
  }),
  responses: {
    '200': answers('Of what the caller may read now.', json(ref('HistoryFigures'))),
    ...problems('read'),
  },
});

/** `read`: a path that answers `GET` and `HEAD`. */
export const historyPaths = (read: (of: Json) => Json): Json => ({
  '/api/v1/history': read(history),
  '/api/v1/history/at': read(past),
  '/api/v1/history/columns': columns,
  '/api/v1/history/figures': read(historyFigures),
});
