// @vitest-environment happy-dom
/** A tab forgets its places at sign-out. */
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snapshotOf } from '@/components/fixture/world';
import { SignIn } from '@/components/identity/sign-in';
import { LiveRoot } from '@/components/live/live-root';
import { SessionRoot } from '@/components/live/session-root';
import type { startLive } from '@/lib/client/live';
import type { Visitor } from '@/lib/domain/visitor';

const live = vi.hoisted(() => ({ start: vi.fn<typeof startLive>(() => () => {}) }));
vi.mock('next/navigation', () => ({ useRouter: () => ({}) }));
vi.mock('@/lib/client/live', () => ({ startLive: live.start, fetchOwnStreamAhead: async () => {} }));

const nobody: Visitor = {
  identity: { kind: 'anonymous' },
  accessControl: 'on',
  maySee: false,
  why: null,
  writes: { allowed: true },
  endsAtMs: null,
  idleEndsAtMs: null,
  tokenEndsAtMs: null,
};
const somebody: Visitor = { ...nobody, identity: { kind: 'token', id: 'a', name: 'one' }, maySee: true };

const kept = () => sessionStorage.getItem('signalbox places');

beforeEach(() => {
  // No answer comes.
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  sessionStorage.setItem('signalbox places', '[["a /",{"mark":1,"index":300,"belowPx":0}]]');
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a page whose sign-in ends forgets where its person was', () => {
  const opening = { snapshot: snapshotOf({}), ahead: null };
  render(
    <SessionRoot initial={somebody}>
      <LiveRoot opening={opening}>page</LiveRoot>
    </SessionRoot>,
  );
  expect(kept()).toContain('300');
  const why = { code: 'signed-out-elsewhere', facts: {} } as const;
  act(() => live.start.mock.calls.at(-1)?.[0].onSignedOut({ code: 'signed-out', why }));
  expect(kept()).toBeNull();
});

test('a signed-out page forgets its place as well; a new sign-in of the same person keeps it', () => {
  const signIn = (session: Visitor) =>
    render(<SignIn session={session} problem={null} next="/" place={null} />);
  signIn(somebody);
  expect(kept()).toContain('300');
  signIn(nobody);
  expect(kept()).toBeNull();
});
