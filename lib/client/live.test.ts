// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { snapshotOf } from '@/components/fixture/world';
import { FakeSource, patch, snapshot } from './fixture/event-source';
import * as ownStream from './live';
import { startLive } from './live';
import { createLiveView } from './live-view';
import type { FromWorker, ToWorker } from './live-worker';

const sources: FakeSource[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  sources.length = 0;
  vi.stubGlobal('SharedWorker', undefined);
  vi.stubGlobal(
    'EventSource',
    class extends FakeSource {
      constructor(url: string) {
        super(url);
        sources.push(this);
      }
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function follow(fetchCode: () => Promise<typeof ownStream>) {
  const view = createLiveView(snapshotOf());
  const end = startLive({
    view,
    identity: { kind: 'anonymous' },
    onSignedOut: () => {},
    onOtherBuild: () => {},
    fetchCode,
  });
  return { view, end };
}

test('a page that cannot load its stream code says that it is lost, and follows once it has come', async () => {
  let there = false;
  const { view, end } = follow(async () => {
    if (!there) throw new Error('not reached');
    return ownStream;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(view.connection.get().state).toBe('lost');
  there = true;
  await vi.advanceTimersByTimeAsync(2_000);
  sources.at(-1)?.say('snapshot', snapshot(3), 'i-3');
  expect(view.connection.get().state).toBe('live');
  expect(view.snapshot.get().version).toBe(3);
  // No timer is left that could call it lost.
  for (let n = 0; n < 4; n += 1) {
    await vi.advanceTimersByTimeAsync(3_000);
    expect(view.connection.get().state).toBe('live');
    sources.at(-1)?.say('ping', {});
  }
  end();
  expect(sources.at(-1)?.closed).toBe(true);
});

test('an ended follower opens no connection when its code arrives', async () => {
  let come = (_: typeof ownStream) => {};
  const { end } = follow(
    () =>
      new Promise((resolve) => {
        come = resolve;
      }),
  );
  end();
  come(ownStream);
  await vi.advanceTimersByTimeAsync(1);
  expect(sources).toEqual([]);
});

test('a page that waits for code that neither comes nor fails says that it is lost, and follows once it has come', async () => {
  let come = (_: typeof ownStream) => {};
  const { view, end } = follow(
    () =>
      new Promise((resolve) => {
        come = resolve;
      }),
  );
  await vi.advanceTimersByTimeAsync(7_000);
  expect(view.connection.get().state).toBe('connecting');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(view.connection.get().state).toBe('lost');
  come(ownStream);
  await vi.advanceTimersByTimeAsync(1);
  sources.at(-1)?.say('snapshot', snapshot(3), 'i-3');
  expect(view.connection.get().state).toBe('live');
  end();
});

/** The machine sleeps: only its clock advances. */
const sleep = () => vi.setSystemTime(Date.now() + hourMs);
const hourMs = 3_600_000;

test('a page that is cut off after a sleep was so since the server was last heard, not since it woke', async () => {
  const { view, end } = follow(async () => ownStream);
  await vi.advanceTimersByTimeAsync(1);
  sources.at(-1)?.say('snapshot', snapshot(3), 'i-3');
  await vi.advanceTimersByTimeAsync(3_000);
  const heardMs = Date.now();
  sources.at(-1)?.say('ping', { build: 'ours', atMs: heardMs });
  sleep();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(view.connection.get()).toEqual({ state: 'lost', sinceMs: heardMs });
  // A link that was given back and fails again does not make it younger either.
  end();
  expect(view.connection.get()).toEqual({ state: 'connecting', sinceMs: heardMs });
});

test('nor is it any later through a worker, also where what that said before the sleep is read after it', async () => {
  const { view, end, worker } = followShared();
  worker.say({ type: 'state', state: 'live' });
  worker.say({ type: 'snapshot', snapshot: { ...snapshot(3), asOfMs: Date.now() - hourMs } });
  await vi.advanceTimersByTimeAsync(3_000);
  const pingMs = Date.now();
  worker.say({ type: 'time', atMs: pingMs, contactMs: pingMs - 500 });
  expect(view.contact.get()).toBe(pingMs - 500);
  const patchMs = pingMs + 1_000;
  sleep();
  worker.say({ type: 'patch', patch: { ...patch(3), asOfMs: patchMs } });
  worker.say({ type: 'state', state: 'lost' });
  expect(view.connection.get()).toEqual({ state: 'lost', sinceMs: patchMs });
  // Heard again, and cut off before the next ping.
  worker.say({ type: 'state', state: 'live' });
  const againMs = Date.now();
  worker.say({ type: 'snapshot', snapshot: { ...snapshot(4), asOfMs: patchMs } });
  await vi.advanceTimersByTimeAsync(2_000);
  worker.say({ type: 'state', state: 'lost' });
  expect(view.connection.get()).toEqual({ state: 'lost', sinceMs: againMs });
  end();
});

test('an ended follower does not report missing code', async () => {
  const { view, end } = follow(() => new Promise(() => {}));
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(view.connection.get().state).toBe('connecting');
});

const workers: FakeWorker[] = [];
class FakeWorker {
  onerror: (() => void) | null = null;
  heard: ToWorker[] = [];
  port: Pick<MessagePort, 'onmessage' | 'postMessage' | 'close'> = {
    onmessage: null,
    postMessage: (message: ToWorker) => void this.heard.push(message),
    close: () => {},
  };
  constructor() {
    workers.push(this);
  }
  say(data: FromWorker): void {
    this.port.onmessage?.call(this.port as MessagePort, new MessageEvent('message', { data }));
  }
}

/** A page that follows through a worker, which the test plays. */
function followShared() {
  workers.length = 0;
  vi.stubGlobal('SharedWorker', FakeWorker);
  const followed = follow(async () => ownStream);
  return { ...followed, worker: workers[0] as FakeWorker };
}

test('a worker that fails or answers too late leaves the page’s own connection alone', async () => {
  const { view, end, worker } = followShared();
  expect(worker.onerror).not.toBeNull();
  await vi.advanceTimersByTimeAsync(4_000);
  sources[0]?.say('snapshot', snapshot(3), 'i-3');
  expect(view.connection.get().state).toBe('live');

  worker.onerror?.();
  worker.say({ type: 'snapshot', snapshot: snapshot(2) });
  await vi.advanceTimersByTimeAsync(1);
  expect(sources.map(({ closed }) => closed)).toEqual([false]);
  expect(view.connection.get().state).toBe('live');
  expect(view.snapshot.get().version).toBe(3);
  end();
});

test('a page whose worker dies says that it is lost, and begins with another one', async () => {
  const { view, end, worker } = followShared();
  worker.say({ type: 'state', state: 'live' });
  worker.say({ type: 'snapshot', snapshot: snapshot(3) });
  // Pings keep it.
  for (let n = 0; n < 5; n += 1) {
    await vi.advanceTimersByTimeAsync(3_000);
    worker.say({ type: 'time', atMs: Date.now(), contactMs: null });
  }
  const heardMs = Date.now();
  await vi.advanceTimersByTimeAsync(11_900);
  expect([view.connection.get().state, workers.length]).toEqual(['live', 1]);
  await vi.advanceTimersByTimeAsync(200);
  expect(view.connection.get()).toEqual({ state: 'lost', sinceMs: heardMs });
  worker.say({ type: 'state', state: 'live' });
  expect(view.connection.get().state).toBe('lost');
  expect(workers[1]?.heard).toEqual(['hello']);
  workers[1]?.say({ type: 'state', state: 'live' });
  workers[1]?.say({ type: 'snapshot', snapshot: snapshot(5) });
  expect([view.connection.get().state, view.snapshot.get().version]).toEqual(['live', 5]);
  end();
  expect([sources.length, vi.getTimerCount()]).toEqual([0, 0]);
});

test('a page whose worker dies while the server is away follows on its own where no other one answers', async () => {
  const { view, end, worker } = followShared();
  worker.say({ type: 'state', state: 'lost' });
  await vi.advanceTimersByTimeAsync(12_100);
  expect([workers.length, sources.length]).toEqual([2, 0]);
  await vi.advanceTimersByTimeAsync(4_100);
  sources[0]?.say('snapshot', snapshot(5), 'i-5');
  expect([view.connection.get().state, view.snapshot.get().version]).toEqual(['live', 5]);
  end();
  expect(vi.getTimerCount()).toBe(0);
});

test('a worker that tries to connect and is there when asked is left to it, however long it takes', async () => {
  const { view, end, worker } = followShared();
  worker.say({ type: 'state', state: 'live' });
  worker.say({ type: 'state', state: 'lost' });
  for (let n = 0; n < 400; n += 1) {
    await vi.advanceTimersByTimeAsync(9_000);
    expect(worker.heard.pop()).toBe('there');
    worker.say({ type: 'state', state: 'lost' });
  }
  expect([view.connection.get().state, workers.length, sources.length]).toEqual(['lost', 1, 0]);
  worker.say({ type: 'state', state: 'live' });
  expect(view.connection.get().state).toBe('live');
  end();
});

test('a page that follows on its own and was hidden from the start lets its connection go', async () => {
  const { end } = follow(async () => ownStream);
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  onTestFinished(() => void vi.restoreAllMocks());
  await vi.advanceTimersByTimeAsync(1);
  expect(sources.map(({ closed }) => closed)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(sources.every(({ closed }) => closed)).toBe(true);
  end();
});

test('a page that was frozen reads what its worker said meanwhile before it believes its timer', async () => {
  const { view, end, worker } = followShared();
  worker.say({ type: 'state', state: 'live' });
  sleep();
  // What is due runs first, and what it starts later waits.
  await vi.runOnlyPendingTimersAsync();
  worker.say({ type: 'time', atMs: Date.now(), contactMs: null });
  await vi.advanceTimersByTimeAsync(7_000);
  expect([view.connection.get().state, sources.length]).toEqual(['live', 0]);
  end();
});
