import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { type Hold, holdEnds } from '@/lib/domain/history/episode';
import { holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { readArguments } from '@/packages/cli/arguments.mjs';
import { besideLines, ends, historyLines, spanText } from '@/packages/cli/history.mjs';
import { run } from '@/test/support/command';

const toMs = Date.UTC(2026, 10, 21, 12);
const hold = (over: Partial<Hold> = {}): Hold =>
  holdOf(toMs - 90_000, toMs - 30_000, {
    id: 'a',
    who: whoOf('a', { label: 'worker\u001b[2J' }),
    end: 'evicted-here',
    deed: { seq: 1, by: 'ana', type: 'x', reason: 'stuck', atMs: toMs - 30_000 },
    ...over,
  });
const answer: HistoryAnswer = {
  from: toMs - 86_400_000,
  to: toMs,
  keptSinceMs: null,
  awaySinceMs: null,
  off: false,
  episodes: [
    hold(),
    hold({ id: 'b', from: { atMs: toMs - 20_000, basis: 'at-least' }, to: null, end: null, deed: null }),
  ],
  waits: [],
  findings: [],
  limits: [],
  gaps: [{ id: 'g', source: 'consul', fromMs: toMs - 30_000, toMs: toMs - 20_000, why: 'outage' }],
  hours: [],
  more: false,
  folded: false,
};

test('a history says in order who held, how long, how it ended and by whom, and when nobody looked', () => {
  const lines = historyLines(answer, toMs).map((line) => line.split(/ {2,}/).slice(1).join(' | '));
  expect(lines).toEqual([
    'worker\\u{1b}[2J | 1 min | removed from Signalbox by ana: stuck',
    '10 s | not watched: outage',
    'worker\\u{1b}[2J | at least 20 s | holds now',
  ]);
  expect(historyLines(answer, toMs)[2]).toMatch(/^before /);
  const missed = hold({ to: { atMs: toMs - 30_000, basis: 'at-most' } });
  const both = { ...missed, from: { atMs: toMs - 90_000, basis: 'at-least' } } as const;
  expect(historyLines({ ...answer, episodes: [missed, both], gaps: [] }, toMs).join()).toMatch(
    / at most 1 min .* unknown /,
  );
  const other = hold({ id: 'c', subject: { source: 'consul', kind: 'lock', key: 'other' } });
  expect(historyLines({ ...answer, episodes: [hold(), other] }, toMs).join('\n')).toContain('lock other');
});

test('nothing is said to have been seen only where nothing was: not beside counted holds, waits or findings', () => {
  const empty: HistoryAnswer = { ...answer, episodes: [], gaps: [] };
  expect(besideLines(empty, 'leader')).toEqual(['Nothing was seen of leader in that time.']);
  expect(besideLines(answer, 'leader')).toEqual([]);
  const { subject, who, from } = hold();
  const wait = { id: 'w', subject, who, from, to: null, end: null, deed: null };
  expect(besideLines({ ...empty, waits: [wait] }, 'leader').join()).toMatch(
    /^Nobody was seen to hold leader /,
  );
  const hour = {
    subject,
    hourMs: 0,
    holds: 12,
    heldMs: 1,
    holdP50Ms: 1,
    holdP95Ms: 1,
    holdMaxMs: 1,
    lost: 0,
  };
  const waited = { waits: 0, waitP50Ms: null, waitP95Ms: null, waitMaxMs: null };
  expect(besideLines({ ...empty, hours: [{ ...hour, ...waited }] }, 'leader').join()).toMatch(
    /counted.*: 12\.$/,
  );
});

test('every way in which a hold ends has words, and a span at most two units', () => {
  expect(Object.keys(ends).sort()).toEqual([...holdEnds].sort());
  expect([24, 1_000, 61_000, 7_500_000, 90_000_000].map(spanText)).toEqual([
    '24 ms',
    '1 s',
    '1 min 1 s',
    '2 h 5 min',
    '1 d 1 h',
  ]);
});

/** A stand-in for the console. `answered` with a `code` is a problem. */
async function answering(answered: (query: URLSearchParams) => object) {
  const server = createServer((request, response) => {
    const said = answered(new URL(request.url ?? '', 'http://box').searchParams);
    response.writeHead('code' in said ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { SIGNALBOX_ADDR: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a name is a lock, else a semaphore, else the beginning of several; a span that is none is refused', async () => {
  const asked: (string | null)[] = [];
  const sources: (string | null)[] = [];
  const env = await answering((query) => {
    const subject = query.get('subject');
    asked.push(subject);
    sources.push(query.get('source'));
    return subject?.startsWith('prefix:') ? answer : { ...answer, episodes: [] };
  });
  const ran = await run(['history', 'lea', '--json'], env);
  expect([ran.status, JSON.parse(ran.out)]).toEqual([0, answer]);
  expect(asked).toEqual(['lock:lea', 'semaphore:lea', 'prefix:lea']);
  // Without one, a prefix is that of all sources.
  expect(sources).toEqual([null, null, null]);
  await run(['history', 'lea', '--source', 'consul', '--json'], env);
  expect(sources.slice(3)).toEqual(['consul', 'consul', 'consul']);
  for (const since of ['soon', '-1h', '0s', '5'])
    expect(readArguments(['history', 'a', `--since=${since}`])).toMatchObject({ wrong: expect.any(String) });
  expect(readArguments(['history', 'a', '--kind', 'session'])).toMatchObject({ wrong: expect.any(String) });
});

test.each<[string[], string[], string[] | null]>([
  [['jobs'], [], ['lock:lea in jobs', 'semaphore:lea in jobs', 'prefix:lea in jobs']],
  [['jobs'], ['--kind', 'lock'], ['lock:lea in jobs']],
  [['jobs', 'queues'], [], ['prefix:lea in null']],
  [['jobs', 'queues'], ['--kind', 'lock'], null],
])(
  'where the sources are %j, history %j without --source finds the name, or asks which source is meant',
  async (known, options, wanted) => {
    const found: string[] = [];
    // Like the console: only a prefix without a source is looked for in every source.
    const env = await answering((query) => {
      const [subject = '', source] = [query.get('subject') ?? '', query.get('source')];
      if (!known.includes(source ?? 'consul') && !(source === null && subject.startsWith('prefix:')))
        return {
          code: 'not-found',
          why: { code: 'no-source', facts: { source: source ?? 'consul', known: known.join(', ') } },
        };
      found.push(`${subject} in ${source}`);
      return subject.startsWith('prefix:') ? answer : { ...answer, episodes: [] };
    });
    const ran = await run(['history', 'lea', ...options], env);
    expect([ran.status, found]).toEqual(wanted === null ? [2, []] : [0, wanted]);
    if (wanted === null) expect(ran.err).toBe('There are several sources. Add --source: jobs, queues.\n');
    const misnamed = await run(['history', 'lea', '--source', 'other'], env);
    expect([misnamed.status, misnamed.out]).toEqual([1, '']);
  },
);
