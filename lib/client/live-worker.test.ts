import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeSource, patch, snapshot } from './fixture/event-source';
import type { FromWorker, ToWorker } from './live-worker';

const sources: FakeSource[] = [];
class KnownSource extends FakeSource {
  constructor(url: string) {
    super(url);
    sources.push(this);
  }
}

const latest = (): FakeSource => {
  const source = sources.at(-1);
  if (source === undefined) throw new Error('nothing opened');
  return source;
};

/** A page, as the worker sees it. */
function page() {
  const heard: string[] = [];
  const port = {
    onmessage: (_event: { data: ToWorker }) => {},
    postMessage: (message: FromWorker) =>
      heard.push(
        message.type === 'state'
          ? message.state
          : message.type === 'snapshot'
            ? `snapshot ${message.snapshot.version}`
            : message.type === 'patch'
              ? `patch to ${message.patch.to}`
              : message.type === 'other-build'
                ? `other build ${message.build}`
                : message.type === 'time'
                  ? `at ${message.atMs}`
                  : `signed out: ${message.problem.why?.code}`,
      ),
  };
  (globalThis as unknown as { onconnect: (event: unknown) => void }).onconnect({ ports: [port] });
  return {
    say: (data: ToWorker) => port.onmessage({ data }),
    /** Messages since the last call. */
    heard: () => heard.splice(0),
  };
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  vi.stubGlobal('EventSource', KnownSource);
  // The worker sets it.
  vi.stubGlobal('onconnect', undefined);
  sources.length = 0;
  await import('./live-worker');
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('any number of pages share one stream; each begins with a snapshot and continues with patches', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  const second = page();
  second.say('hello');
  latest().say('patch', patch(3), 'i-4');
  expect(first.heard()).toEqual(['connecting', 'snapshot 3', 'live', 'patch to 4']);
  expect(second.heard()).toEqual(['live', 'snapshot 3', 'patch to 4']);
  expect(sources).toHaveLength(1);
});

test('a page that comes while the server is away is not given what may be older than its own', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  latest().dispatchEvent(new Event('error'));
  const second = page();
  second.say('hello');
  expect(second.heard()).toEqual(['lost']);
  latest().say('patch', patch(3), 'i-4');
  expect(second.heard()).toEqual(['snapshot 4', 'live']);
});

test('when the last page leaves the connection closes, and the next page continues from there', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  first.say('bye');
  expect(sources[0]?.closed).toBe(true);
  const second = page();
  second.say('hello');
  expect(latest().url).toBe('/api/v1/events?since=i-3');
  expect(second.heard()).toEqual(['connecting']);
  latest().say('ping', {});
  expect(second.heard()).toEqual(['snapshot 3', 'live']);
});

test('a page that cannot join a patch says hello again and gets the whole', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  first.heard();
  first.say('hello');
  expect(first.heard()).toEqual(['live', 'snapshot 3']);
});

test('a page that asks whether the worker is there is answered, which opens and ends nothing', () => {
  const one = page();
  one.say('hello');
  latest().dispatchEvent(new Event('error'));
  const asked = sources.length;
  one.heard();
  one.say('there');
  expect(one.heard()).toEqual(['lost']);
  expect(sources.length).toBe(asked);
});

test('at the end of the sign-in all pages are notified once, and the next one gets no earlier data', () => {
  const first = page();
  const second = page();
  first.say('hello');
  second.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  first.heard();
  second.heard();
  latest().say('signed-out', { code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } });
  expect(first.heard()).toEqual(['connecting', 'signed out: signed-out-idle']);
  expect(second.heard()).toEqual(['connecting', 'signed out: signed-out-idle']);
  first.say('forget');
  second.say('forget');
  const third = page();
  third.say('hello');
  expect(latest().url).toBe('/api/v1/events');
  expect(third.heard()).toEqual(['connecting']);
});

test('a page that forgets leaves nothing behind for the next one', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  first.say('forget');
  const second = page();
  second.say('hello');
  expect(latest().url).toBe('/api/v1/events');
  latest().say('ping', {});
  expect(second.heard()).toEqual(['connecting', 'live']);
});

test("a page that learns late of its sign-out does not end another page's stream", () => {
  const asleep = page();
  const first = page();
  asleep.say('hello');
  first.say('hello');
  latest().say('signed-out', { code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } });
  first.say('forget');
  const again = page();
  again.say('hello');
  latest().say('snapshot', snapshot(7), 'i-7');
  asleep.say('forget');
  latest().say('patch', patch(7), 'i-8');
  expect(latest().closed).toBe(false);
  expect(again.heard()).toEqual(['connecting', 'snapshot 7', 'live', 'patch to 8']);
});

test('a worker follows the stream of the person in its name', async () => {
  vi.resetModules();
  vi.stubGlobal('name', 'signalbox token:a');
  await import('./live-worker');
  page().say('hello');
  expect(latest().url).toBe('/api/v1/events?as=token%3Aa');
});

test('another build of the server is reported to every page, and to later ones', () => {
  const [first, second] = [page(), page()];
  first.say('hello');
  second.say('hello');
  latest().say('snapshot', snapshot(1));
  first.heard();
  second.heard();
  latest().say('ping', { build: 'another' });
  expect([first.heard(), second.heard()]).toEqual([['other build another'], ['other build another']]);
  const third = page();
  third.say('hello');
  expect(third.heard()).toContain('other build another');
});

test('a page that comes between two pings gets the present time', () => {
  const first = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  latest().say('ping', { build: 'ours', atMs: 1_700_000_000_000 });
  vi.advanceTimersByTime(1_500);
  const second = page();
  second.say('hello');
  expect(second.heard()).toContain('at 1700000001500');
});

test('the server’s time reaches every page with each ping', () => {
  const first = page();
  const second = page();
  first.say('hello');
  latest().say('snapshot', snapshot(3), 'i-3');
  second.say('hello');
  first.heard();
  second.heard();
  latest().say('ping', { build: 'ours', atMs: 1_700_000_000_000 });
  expect(first.heard()).toContain('at 1700000000000');
  expect(second.heard()).toContain('at 1700000000000');
});
