import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snapshotOf } from '@/components/fixture/world';
import { serverClock } from '@/lib/client/server-clock';
import { type EmbedLink, followEmbed } from './follow';

/** An event source that says what the test makes it say. */
class FakeSource extends EventTarget {
  close(): void {}
  say(name: string, body: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(body) }));
  }
}

let sources: FakeSource[];
let states: EmbedLink['state'][];
let status: number;
let asked: number;
let builds: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sources, states, status, asked, builds] = [[], [], 404, 0, []];
  vi.stubGlobal(
    'EventSource',
    class extends FakeSource {
      constructor() {
        super();
        sources.push(this);
      }
    },
  );
  vi.stubGlobal('fetch', async () => {
    asked += 1;
    return Response.json(snapshotOf({}), { status });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const follow = (search: string) =>
  followEmbed({
    search,
    onSnapshot: () => {},
    onLink: ({ state }) => void states.push(state),
    onOtherBuild: (name) => void builds.push(name),
  });

test('a paused link comes back after its resumption, and until then it is over and not lost', async () => {
  const end = follow('?share=S');
  sources[0]?.say('snapshot', snapshotOf({}));
  sources[0]?.say('signed-out');
  await vi.advanceTimersByTimeAsync(65_000);
  expect(states).toEqual(['live', 'over']);
  expect([sources.length, asked]).toEqual([1, 2]);
  status = 200;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(sources).toHaveLength(2);
  sources[1]?.say('snapshot', snapshotOf({}));
  expect(states).toEqual(['live', 'over', 'live']);
  end();
});

test.each([
  ['grant-maker-gone', 'maker-gone'],
  ['grant-server-narrow', 'narrow'],
  ['not-granted', 'plain'],
])('why a link is over is said as far as the server says it: %s', async (code, why) => {
  const links: EmbedLink[] = [];
  const end = followEmbed({
    search: '?share=S',
    onSnapshot: () => {},
    onLink: (link) => void links.push(link),
    onOtherBuild: () => {},
  });
  sources[0]?.say('snapshot', snapshotOf({}));
  sources[0]?.say('signed-out', { code: 'not-found', why: { code, facts: {} } });
  // A later answer does not say why.
  await vi.advanceTimersByTimeAsync(65_000);
  expect(links.at(-1)).toMatchObject({ state: 'over', why });
  end();
});

test('a signed token that has ended is not asked for again, nor is anything once the page is left', async () => {
  follow('?token=T');
  sources[0]?.say('signed-out');
  const end = follow('?share=S');
  sources[1]?.say('signed-out');
  end();
  await vi.advanceTimersByTimeAsync(600_000);
  expect([states, sources.length, asked]).toEqual([['over', 'over'], 2, 0]);
});

test.each([
  ['of another shape', { from: 1, to: 2, asOfMs: 2, upsert: {}, remove: {} }],
  [
    'of what is not there',
    { from: 1, to: 2, asOfMs: 2, put: {}, edit: { locks: [{ of: 'a', drop: ['b'] }] }, remove: {} },
  ],
])('news %s is not skipped: the page is not live any more, at any pings', async (_how, patch) => {
  status = 200;
  const end = follow('?share=S');
  const first = sources[0];
  first?.say('snapshot', { ...snapshotOf({}), version: 1 });
  first?.say('patch', patch);
  first?.say('ping');
  expect(states).toEqual(['live', 'lost']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sources).toHaveLength(2);
  sources[1]?.say('snapshot', snapshotOf({}));
  expect(states.at(-1)).toBe('live');
  end();
});

test('another build of the server is reported once, and by pings only', () => {
  const end = follow('?share=S');
  sources[0]?.say('snapshot', snapshotOf({}));
  for (const ping of [{}, { build: 'two' }, { build: 'two' }, { build: 'three' }])
    sources[0]?.say('ping', ping);
  expect(builds).toEqual(['two', 'three']);
  end();
});

test.each(['ping', 'snapshot'])(
  'events in the queue after a sleep are not the present: not live by a %s',
  async (event) => {
    const links: EmbedLink[] = [];
    const end = followEmbed({
      search: '?share=S',
      onSnapshot: () => {},
      onLink: (link) => void links.push(link),
      onOtherBuild: () => {},
    });
    sources[0]?.say('snapshot', snapshotOf({}));
    const heardMs = serverClock.now();
    // Only the clock: timers slept, too.
    vi.setSystemTime(Date.now() + 3_600_000);
    sources[0]?.say(event, event === 'ping' ? { atMs: heardMs } : snapshotOf({}));
    expect(links.map(({ state }) => state)).toEqual(['live', 'lost']);
    expect(links.at(-1)).toEqual({ state: 'lost', sinceMs: heardMs });
    end();
  },
);

test('the start of silence follows the server’s clock, from its pings', async () => {
  const links: EmbedLink[] = [];
  const end = followEmbed({
    search: '?share=S',
    onSnapshot: () => {},
    onLink: (link) => void links.push(link),
    onOtherBuild: () => {},
  });
  const heardMs = Date.now() - 90_000;
  sources[0]?.say('ping', { build: 'ours', atMs: heardMs });
  await vi.advanceTimersByTimeAsync(3_000);
  sources[0]?.say('ping', { build: 'ours', atMs: heardMs + 3_000 });
  await vi.advanceTimersByTimeAsync(8_000);
  expect(links.at(-1)).toEqual({ state: 'over', why: 'plain', sinceMs: heardMs + 3_000 });
  end();
});
