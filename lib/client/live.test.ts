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
