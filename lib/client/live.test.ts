// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snapshotOf } from '@/components/fixture/world';
import { FakeSource, snapshot } from './fixture/event-source';
import { startLive } from './live';
import { createLiveView } from './live-view';
import * as ownStream from './own-stream';

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

test('a page that cannot get the code to follow by itself says that it is lost, and follows once it has come', async () => {
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
  // Nothing of the waiting is left that could call it lost.
  for (let n = 0; n < 4; n += 1) {
    await vi.advanceTimersByTimeAsync(3_000);
    expect(view.connection.get().state).toBe('live');
    sources.at(-1)?.say('ping', {});
  }
  end();
  expect(sources.at(-1)?.closed).toBe(true);
});

test('what is over before its code has come opens no connection', async () => {
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

test('what is over says nothing more of code that does not come', async () => {
  const { view, end } = follow(() => new Promise(() => {}));
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(view.connection.get().state).toBe('connecting');
});

test('a worker that fails or answers too late leaves the page’s own connection alone', async () => {
  const workers: FakeWorker[] = [];
  class FakeWorker {
    onerror: (() => void) | null = null;
    port: Pick<MessagePort, 'onmessage' | 'postMessage' | 'close'> = {
      onmessage: null,
      postMessage: () => {},
      close: () => {},
    };
    constructor() {
      workers.push(this);
    }
  }
  vi.stubGlobal('SharedWorker', FakeWorker);
  const { view, end } = follow(async () => ownStream);
  const worker = workers[0] as FakeWorker;
  expect(worker.onerror).not.toBeNull();
  await vi.advanceTimersByTimeAsync(4_000);
  sources[0]?.say('snapshot', snapshot(3), 'i-3');
  expect(view.connection.get().state).toBe('live');

  worker.onerror?.();
  const late = new MessageEvent('message', { data: { type: 'snapshot', snapshot: snapshot(2) } });
  worker.port.onmessage?.call(worker.port as MessagePort, late);
  await vi.advanceTimersByTimeAsync(1);
  expect(sources.map(({ closed }) => closed)).toEqual([false]);
  expect(view.connection.get().state).toBe('live');
  expect(view.snapshot.get().version).toBe(3);
  end();
});
