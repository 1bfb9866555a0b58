// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Board } from '@/components/board/board';
import { Findings } from '@/components/findings/findings';
import { putAddress } from '@/components/fixture/address';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { SessionContext } from '@/components/live/session-root';
import { Sessions } from '@/components/sessions/sessions';
import { NeedsHuman } from '@/components/shell/header';
import type { AccessControl } from '@/lib/domain/identity';
import type { Evidence } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { sightOf } from './unproven-absence';

afterEach(cleanup);

const notVisible: readonly Evidence[] = [
  { code: 'session-not-visible', source: 'session', detail: null, atMs: null },
];
const hidden = holderOf(1, 'unknown', { session: null, evidence: notVisible });
const empty = snapshotOf();
const keysAlone = snapshotOf({ locks: [lockOf('a', { holder: hidden })] });
const sessionsAlone = snapshotOf({ sessions: [sessionOf(1)] });

test('only what is locked by a session out of view proves that sessions are hidden', () => {
  const of = (over: Partial<Snapshot>) => sightOf(snapshotOf(over));
  expect(sightOf(empty)).toBe('nothing');
  expect(sightOf(sessionsAlone)).toBe('no-key');
  expect(sightOf(keysAlone)).toBe('hidden-sessions');
  expect(of({ semaphores: [semaphoreOf('s', { holders: [holderOf(2), hidden] })] })).toBe('hidden-sessions');
  // A ghost's session may be gone, and a free lock needs none.
  expect(of({ semaphores: [semaphoreOf('s', { holders: [holderOf(8, 'ghost')] })] })).toBe('no-session');
  expect(of({ locks: [lockOf('a', { holder: null, state: 'free' })] })).toBe('no-session');
  expect(of({ locks: keysAlone.locks, sessions: [sessionOf(2)] })).toBeNull();
  // An unread world proves nothing.
  for (const state of ['catching-up', 'down'] as const)
    expect(of({ source: { ...empty.source, state, staleSinceMs: null } })).toBeNull();
});

async function shown(page: React.ReactNode, snapshot: Snapshot, accessControl: AccessControl) {
  putAddress('');
  const session = {
    identity: { kind: 'token', id: 'a', name: 'ada' },
    accessControl,
    maySee: true,
    why: null,
    writes: { allowed: true },
    endsAtMs: null,
    idleEndsAtMs: null,
    tokenEndsAtMs: null,
  } as const;
  const { container } = render(
    <Live view={liveViewOf(snapshot)}>
      <SessionContext value={{ at: 'in', session }}>{page}</SessionContext>
    </Live>,
  );
  await act(async () => {});
  const text = container.textContent ?? '';
  cleanup();
  return text;
}

const header = <NeedsHuman need={{ all: 0, now: 0 }} />;
const left = 'Signalbox shows only what this token may read';

test('a view with nothing in it is no proof of anything where a token decides what is in it', async () => {
  for (const accessControl of ['on', 'unknown'] as const) {
    expect(await shown(header, empty, accessControl)).toContain(
      'Whether anything needs attention is unknown',
    );
    const board = await shown(<Board asked={{}} />, empty, accessControl);
    expect(board).toContain('Nothing in view. Whether anything needs attention is unknown.');
    expect(board).toContain(left);
    expect(board).not.toMatch(/0 locks|at once|consul lock|needs attention\./);
    expect(await shown(<Findings />, empty, accessControl)).toContain(left);
  }
  // Without access control, it is certain.
  expect(await shown(header, empty, 'off')).toContain('Nothing in view needs attention');
  const board = await shown(<Board asked={{}} />, empty, 'off');
  expect(board).toContain('Nothing in view needs attention. 0 locks');
  expect(board).toContain('Take a lock and it appears here at once');
});

test('a view of sessions alone does not claim that there are no locks', async () => {
  const board = await shown(<Board asked={{}} />, sessionsAlone, 'on');
  expect(board).toContain('Nothing in view needs attention. 1 session, no locks or semaphores in view.');
  expect(board).not.toMatch(/0 locks|0 semaphores/);
  // Without access control, there are none.
  expect(await shown(<Board asked={{}} />, sessionsAlone, 'off')).toContain(
    '0 locks, 0 semaphores, 1 session.',
  );
});

test('a part of the sessions does not claim to be all, nor all that they hold', async () => {
  const both = { ...sessionsAlone, locks: [lockOf('a', { holder: null, state: 'free' })] };
  const part = await shown(<Sessions />, { ...both, scope: 'part' }, 'on');
  expect(part).toMatch(/1 session in view: .* holds nothing and waits for no slot in view\./);
  expect(await shown(<Sessions />, { ...both, scope: 'whole' }, 'on')).toContain('1 session on all nodes: ');
});

test('holders whose sessions are hidden are not passed over where what is found is counted', async () => {
  expect(await shown(<Board asked={{}} />, keysAlone, 'on')).toContain(
    '1 lock, 0 semaphores, no session in view: this token may not read the sessions of holders.',
  );
  expect(await shown(<Findings />, keysAlone, 'on')).toContain(
    'Nothing in view needs attention. Signalbox judges the holders, but this token may not read',
  );
  const own = { ...keysAlone, source: { ...keysAlone.source, sight: 'own' as const } };
  expect(await shown(<Findings />, own, 'on')).toContain(
    'Nothing in view needs attention. Signalbox cannot judge the holders: this token may not read',
  );
});
