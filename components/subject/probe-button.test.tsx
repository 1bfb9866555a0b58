// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, nowMs, snapshotOf } from '@/components/fixture/world';
import { SessionContext } from '@/components/live/session-root';
import type { LockDelay } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import { DelayPanel } from './delay-panel';

const fetched = vi.fn();
beforeEach(() => {
  vi.useFakeTimers({ now: nowMs });
  vi.stubGlobal('fetch', fetched);
  fetched.mockReset();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const delay: LockDelay = {
  sessionId: '0a0a0a0a-1111-2222-3333-444444444444',
  sessionName: 'billing-2',
  node: 'node-1',
  seenAtMs: nowMs - 4_000,
  lengthMs: 15_000,
  untilMs: nowMs + 11_000,
  basis: 'seen',
};
const delayedLock = lockOf('a/lock', {
  state: 'delayed',
  holder: null,
  delayedUntilMs: delay.untilMs,
  delay,
});

function show(lock = delayedLock as typeof delayedLock | null, source: Partial<SourceState> = {}) {
  const live = snapshotOf();
  const endsSeenSinceMs = nowMs - 600_000;
  const snapshot = snapshotOf({ source: { ...live.source, endsSeenSinceMs, ...source } });
  const view = liveViewOf(snapshot, { state: 'live', sinceMs: nowMs });
  const { container } = render(
    <Live view={view}>
      <DelayPanel of={{ source: 'consul', key: 'a/lock' }} lock={lock} canAsk />
    </Live>,
  );
  return container;
}

const button = () => screen.getByRole('button', { name: 'Ask Consul now' });
const answers = (status: number, body: unknown) =>
  fetched.mockImplementation(async () => Response.json(body, { status }));
const press = () => act(async () => void fireEvent.click(button()));

test('a delayed lock says which session ended, when, for how long, and when it is over', () => {
  const text = show().textContent ?? '';
  expect(text).toContain('billing-2 on node-1');
  expect(text).toMatch(/in 11\u00a0s/);
  expect(text).toContain('15\u00a0s');
  expect(text).toContain('derives this from what it saw');
  expect(text).not.toContain('may have been released');
  expect(text).not.toContain('cannot know a lock-delay from before');
});

test('the basis is said: a doubtful end, a deleted key, a watch that began a moment ago', () => {
  const lock = { ...delayedLock, exists: false, delay: { ...delay, basis: 'likely' as const } };
  const text = show(lock, { endsSeenSinceMs: nowMs - 5_000 }).textContent ?? '';
  expect(text).toContain('may have been released');
  expect(text).toContain('The key is gone');
  expect(text).toContain('cannot know a lock-delay from before');
});

test('a free lock claims no more than was seen', () => {
  const free = lockOf('a/lock', { state: 'free', holder: null });
  expect(show(free).textContent).toContain('saw no session end that would still cause one');
  cleanup();
  expect(show(free, { endsSeenSinceMs: null }).textContent).toContain(
    'does not know whether a lock-delay runs',
  );
  cleanup();
  const text = show(null).textContent;
  expect(text).toContain('does not know whether one runs for this name');
  expect(text).not.toContain('No known lock-delay');
});

test('one press asks once, says the answer with its time, and rests before the next', async () => {
  show();
  answers(200, { answer: 'delayed', atMs: nowMs });
  expect(button().getAttribute('aria-disabled')).toBeNull();
  await press();
  expect(fetched).toHaveBeenCalledTimes(1);
  expect(screen.getByRole('status').textContent).toMatch(/\d\d:\d\d:\d\d: a lock-delay refuses it right now/);
  expect(button().getAttribute('aria-disabled')).toBe('true');
  await press();
  expect(fetched).toHaveBeenCalledTimes(1);
  act(() => void vi.advanceTimersByTime(4_000));
  expect(button().getAttribute('aria-disabled')).toBeNull();
  expect(fetched).toHaveBeenCalledTimes(1);
});

test('a token that may not write is no answer, and is said as such', async () => {
  show();
  answers(403, { code: 'forbidden', why: { code: 'token-refused', facts: {} } });
  await press();
  expect(screen.getByRole('status').textContent).toMatch(/No answer: .*may not write this key/);
});

test('nothing is asked on the ground of old data', async () => {
  show(delayedLock, { state: 'stale', staleSinceMs: nowMs });
  await press();
  expect(fetched).not.toHaveBeenCalled();
  expect(button().getAttribute('aria-disabled')).toBe('true');
  const reason = document.getElementById(button().getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent).toMatch(/stale/);
});

test("the refused token is named: a signed-in person's own, else the server's", async () => {
  const refused = { code: 'forbidden', why: { code: 'token-refused', facts: { detail: '' } } };
  answers(403, refused);
  show();
  await press();
  expect(screen.getByRole('status').textContent).toContain('This server’s token may not write this key');
  cleanup();
  const session = {
    identity: { kind: 'token', id: 'a', name: 'ada' },
    accessControl: 'on',
    maySee: true,
    why: null,
    writes: { allowed: true },
    endsAtMs: null,
    idleEndsAtMs: null,
    tokenEndsAtMs: null,
  } as const;
  const view = liveViewOf(snapshotOf(), { state: 'live', sinceMs: nowMs });
  render(
    <Live view={view}>
      <SessionContext value={{ at: 'in', session }}>
        <DelayPanel of={{ source: 'consul', key: 'a/lock' }} lock={delayedLock} canAsk />
      </SessionContext>
    </Live>,
  );
  await press();
  expect(screen.getByRole('status').textContent).toContain('Your token may not write this key');
});
