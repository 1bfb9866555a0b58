import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeSource, patch, snapshot } from './fixture/event-source';
import { type ConnectionState, followStream, type Stream } from './stream';

// The module reads it once, on load.
vi.hoisted(() => vi.stubEnv('SIGNALBOX_BUILD_ID', 'ours'));
afterAll(() => void vi.unstubAllEnvs());

let sources: FakeSource[];
let seen: number[];
let states: ConnectionState[];
let stream: Stream;
let ended: (string | undefined)[];
let others: string[];
let times: number[];
const latest = (): FakeSource => {
  const source = sources.at(-1);
  if (source === undefined) throw new Error('nothing opened');
  return source;
};

beforeEach(() => {
  vi.useFakeTimers();
  sources = [];
  seen = [];
  ended = [];
  others = [];
  times = [];
  states = [];
  stream = followStream({
    onSnapshot: (next) => seen.push(next.version),
    onState: (state) => {
      if (states.at(-1) !== state) states.push(state);
    },
    onSignedOut: ({ why }) => ended.push(why?.code),
    onOtherBuild: (other) => others.push(other),
    onTime: (atMs) => times.push(atMs),
    random: () => 0,
    open: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source as unknown as EventSource;
    },
  });
});
afterEach(() => {
  stream.pause();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('patches are applied to the snapshot in order, and a change of freshness like any other', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('patch', patch(4), 'i-5');
  latest().say('status', patch(5), 'i-6');
  expect(seen).toEqual([4, 5, 6]);
  expect(states).toEqual(['live']);
});

test('events in the queue after a sleep are not the present: nothing is live before a new read', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  // Only the clock: timers slept, too.
  vi.setSystemTime(Date.now() + 3_600_000);
  latest().say('ping', {});
  expect(states).toEqual(['live', 'lost']);
  vi.advanceTimersByTime(1_000);
  expect(sources).toHaveLength(2);
  latest().say('ping', {});
  expect(states.at(-1)).toBe('live');
});

test('an end of the sign-in is heeded however late it is read', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  vi.setSystemTime(Date.now() + 3_600_000);
  latest().say('signed-out', { code: 'signed-out' });
  expect(ended).toHaveLength(1);
});

test('a patch that does not join is not applied: a whole snapshot is asked for', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('patch', patch(7), 'i-8');
  expect(seen).toEqual([4]);
  expect(sources).toHaveLength(2);
  expect(sources[0]?.closed).toBe(true);
  expect(latest().url).toBe('/api/v1/events');
});

test('a server that falls silent is noticed without an error, and the stream resumes where it was', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  vi.advanceTimersByTime(7_999);
  expect(states).toEqual(['live']);
  vi.advanceTimersByTime(1);
  expect(states).toEqual(['live', 'lost']);
  vi.advanceTimersByTime(250);
  expect(latest().url).toBe('/api/v1/events?since=i-4');
  latest().say('ping', {});
  expect(states).toEqual(['live', 'lost', 'live']);
});

test('pings keep a quiet stream alive', () => {
  latest().say('snapshot', snapshot(1), 'i-1');
  for (let n = 0; n < 10; n += 1) {
    vi.advanceTimersByTime(3_000);
    latest().say('ping', {});
  }
  expect(sources).toHaveLength(1);
  expect(states).toEqual(['live']);
});

test('a server that is gone is tried again less and less often, and soon again after it was back', () => {
  const waits: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    latest().dispatchEvent(new Event('error'));
    const before = sources.length;
    let waited = 0;
    while (sources.length === before) {
      vi.advanceTimersByTime(50);
      waited += 50;
    }
    waits.push(waited);
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  latest().say('snapshot', snapshot(1), 'j-1');
  latest().dispatchEvent(new Event('error'));
  vi.advanceTimersByTime(250);
  expect(sources).toHaveLength(8);
});

test('a server that has no room is asked ever more seldom, up to once in half a minute', async () => {
  const refuse = () => {
    Object.assign(latest(), { readyState: 2 });
    latest().dispatchEvent(new Event('error'));
  };
  for (let n = 0; n < 10; n += 1) {
    refuse();
    await vi.runOnlyPendingTimersAsync();
  }
  refuse();
  const tries = sources.length;
  await vi.advanceTimersByTimeAsync(29_000);
  expect(sources).toHaveLength(tries);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sources).toHaveLength(tries + 1);
});

test('late events of a closed stream are ignored', () => {
  const old = latest();
  old.say('snapshot', snapshot(4), 'i-4');
  old.dispatchEvent(new Event('error'));
  old.say('patch', patch(4), 'i-5');
  expect(seen).toEqual([4]);
});

test('a paused stream continues from its present version', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  stream.pause();
  expect(states).toEqual(['live', 'connecting']);
  stream.resume();
  stream.resume();
  expect(sources).toHaveLength(2);
  expect(latest().url).toBe('/api/v1/events?since=i-4');
});

test('an ended stream is not tried again, and a resumed one starts over', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('signed-out', { code: 'signed-out', why: { code: 'token-unknown', facts: {} } });
  expect(ended).toEqual(['token-unknown']);
  expect(latest().closed).toBe(true);
  vi.advanceTimersByTime(60_000);
  expect(sources).toHaveLength(1);
  stream.resume();
  expect(latest().url).toBe('/api/v1/events');
});

test('a stream that must ask again does so at once from its version, and nobody sees it', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  const first = latest();
  first.say('again', {});
  expect(first.closed).toBe(true);
  first.dispatchEvent(new Event('error'));
  expect(sources.map(({ url }) => url)).toEqual(['/api/v1/events', '/api/v1/events?since=i-4']);
  vi.advanceTimersByTime(7_900);
  latest().say('ping', {});
  vi.advanceTimersByTime(7_900);
  latest().say('patch', patch(4), 'i-5');
  expect([states, seen, sources.length]).toEqual([['live'], [4, 5], 2]);
});

test('a stream that asked again is live no longer than any silence may last', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('again', {});
  // The head comes, and a large world after it takes its time.
  latest().dispatchEvent(new Event('open'));
  vi.advanceTimersByTime(7_900);
  expect(states).toEqual(['live']);
  vi.advanceTimersByTime(200);
  expect([states, sources.length]).toEqual([['live', 'lost'], 2]);
  latest().say('snapshot', snapshot(5), 'i-5');
  expect(states).toEqual(['live', 'lost', 'live']);
});

test('a refusal after it must ask again is lost at once', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('again', {});
  Object.assign(latest(), { readyState: 2 });
  latest().dispatchEvent(new Event('error'));
  expect(states).toEqual(['live', 'lost']);
});

test('a server that only ever says to ask again is not asked without a rest', () => {
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().say('again', {});
  latest().say('again', {});
  expect([states.at(-1), sources.length]).toEqual(['lost', 2]);
});

test("each try names the stream's person", () => {
  stream.pause();
  const own = followStream({
    onSnapshot: () => {},
    onState: () => {},
    person: 'token:a b',
    random: () => 0,
    open: (url) => {
      const source = new FakeSource(url);
      sources.push(source);
      return source as unknown as EventSource;
    },
  });
  latest().say('snapshot', snapshot(4), 'i-4');
  latest().dispatchEvent(new Event('error'));
  vi.advanceTimersByTime(250);
  expect(sources.slice(1).map(({ url }) => url)).toEqual([
    '/api/v1/events?as=token%3Aa%20b',
    '/api/v1/events?as=token%3Aa%20b&since=i-4',
  ]);
  own.pause();
});

const withEdit = (edit: unknown) =>
  JSON.stringify({ ...patch(1), edit: { locks: [{ of: 'a', in: { value: edit } }] } });

test.each([
  ['cut short', '{"from":1,"to":2,"asOfMs":2,"put":{"loc'],
  ['without tables', '{"from":1,"to":2,"asOfMs":2}'],
  [
    'with a row that has no name',
    '{"from":1,"to":2,"asOfMs":2,"put":{"locks":[{"key":7}]},"edit":{},"remove":{}}',
  ],
  [
    'with a table that is none',
    '{"from":1,"to":2,"asOfMs":2,"put":{},"edit":{},"remove":{"locks":"leader"}}',
  ],
  ['without edits, as of an older server', '{"from":1,"to":2,"asOfMs":2,"put":{},"remove":{}}'],
  ['with an edit of nobody', JSON.stringify({ ...patch(1), edit: { locks: [{ set: { value: 1 } }] } })],
  ['with an edit that is none', withEdit(7)],
  ['with members that are none', withEdit({ set: [1] })],
  ['with names that are none', withEdit({ drop: [1] })],
  ['with an edit deep within that is none', withEdit({ in: { a: { in: { b: [] } } } })],
  [
    'with an edit within an edit without end',
    withEdit(0).replace('0', `${'{"in":{"a":'.repeat(50_000)}{}${'}}'.repeat(50_000)}`),
  ],
  ['with a piece of a list that is none', withEdit({ list: [null] })],
  ['with a piece from before the list', withEdit({ list: [{ from: -1, count: 1 }] })],
  ['with a piece that is of two kinds', withEdit({ list: [{ edit: 7, from: 0, count: 0 }] })],
  ['that leads back', '{"from":1,"to":1,"asOfMs":2,"put":{},"edit":{},"remove":{}}'],
])(
  'a patch %s is never passed over: the page is not live any more, and asks for a whole snapshot',
  (_how, data) => {
    latest().say('snapshot', snapshot(1), 'i-1');
    latest().dispatchEvent(new MessageEvent('patch', { data, lastEventId: 'i-2' }));
    expect(states.at(-1)).toBe('lost');
    expect(seen).toEqual([1]);
    vi.advanceTimersByTime(600);
    expect(sources.length).toBe(2);
    expect(latest().url).not.toContain('since=');
  },
);

test('a patch that edits what the page does not have brings a whole snapshot, and nothing of it is shown', () => {
  latest().say('snapshot', snapshot(1), 'i-1');
  latest().say('patch', JSON.parse(withEdit({ set: { a: 1 } })), 'i-2');
  expect(seen).toEqual([1]);
  vi.advanceTimersByTime(600);
  expect(sources).toHaveLength(2);
  expect(latest().url).not.toContain('since=');
});

test('where each snapshot is followed by news that cannot be read, it is asked for ever more seldom, until some can be', () => {
  const waits: number[] = [];
  const doubt = () => {
    latest().say('snapshot', snapshot(1), 'i-1');
    latest().say('patch', { from: 1, to: 2, asOfMs: 2 }, 'i-2');
    const before = sources.length;
    let waited = 0;
    while (sources.length === before) {
      vi.advanceTimersByTime(50);
      waited += 50;
    }
    waits.push(waited);
  };
  for (let n = 0; n < 9; n += 1) doubt();
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  latest().say('snapshot', snapshot(1), 'i-1');
  latest().say('patch', patch(1), 'i-2');
  doubt();
  expect(waits.at(-1)).toBe(250);
});

test('an invalid snapshot is not shown, after any events', () => {
  latest().say('snapshot', snapshot(1), 'i-1');
  latest().say('snapshot', { ...snapshot(2), locks: null }, 'i-2');
  expect(seen).toEqual([1]);
  expect(states.at(-1)).toBe('lost');
});

test('a world that comes slowly is waited for from the head of the answer on, and is not live before it is here', () => {
  latest().dispatchEvent(new Event('open'));
  vi.advanceTimersByTime(50_000);
  expect(sources).toHaveLength(1);
  expect(states).not.toContain('live');
  latest().say('snapshot', snapshot(1), 'i-1');
  expect(states.at(-1)).toBe('live');
  vi.advanceTimersByTime(8_100);
  expect(states.at(-1)).toBe('lost');
});

test('a server that says nothing after its head is given up as well', () => {
  latest().dispatchEvent(new Event('open'));
  vi.advanceTimersByTime(60_100);
  expect(states.at(-1)).toBe('lost');
});

test('another build of the server is reported once, and a missing name never', () => {
  latest().say('ping', {});
  latest().say('ping', { build: 'ours' });
  expect(others).toEqual([]);
  for (const name of ['another', 'another', 'third']) latest().say('ping', { build: name });
  expect(others).toEqual(['another', 'third']);
});

test('each ping carries the server’s time, and one without is a ping all the same', () => {
  latest().say('ping', { build: 'ours', atMs: 1_700_000_000_000 });
  for (const body of [{ build: 'ours' }, {}, { atMs: null }, { atMs: 'soon' }, { atMs: -1 }])
    latest().say('ping', body);
  latest().say('ping', { build: 'another', atMs: 1_700_000_003_000 });
  expect(times).toEqual([1_700_000_000_000, 1_700_000_003_000]);
  expect([states, others]).toEqual([['live'], ['another']]);
});
