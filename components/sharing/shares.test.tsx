// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { snapshotOf } from '@/components/fixture/world';
import { ShownSources } from '@/components/live/sources';
import type { Problem } from '@/lib/domain/problem';
import type { GrantChange, ShownGrant } from '@/lib/domain/sharing/grant';
import { en } from '@/lib/i18n/messages';
import { Shares } from './shares';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const { page } = en.share;

/** `sources`: of the console. */
function show(...sources: readonly string[]): void {
  const parts = sources.map((id) => ({ ...snapshotOf({}).source, id, title: id }));
  const source = { ...snapshotOf({}).source, ...(parts.length > 1 ? { parts } : {}) };
  const shown = sources.map((id) => ({ id, title: id, isGrey: false, goodMs: null }));
  render(
    <Live view={liveViewOf({ ...snapshotOf({}), source })}>
      <ShownSources value={shown}>
        <Shares />
      </ShownSources>
    </Live>,
  );
}

function answering(problem: Problem) {
  vi.stubGlobal('fetch', async () => Response.json(problem, { status: 404 }));
  show();
}

test('that embeds are switched off is said as that, and not as something that is gone or failed', async () => {
  answering({ code: 'not-found', why: { code: 'embeds-off', facts: {} } });
  expect(await screen.findByText(page.off)).toBeDefined();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a list that cannot be read says why, and can be asked for again', async () => {
  answering({ code: 'unavailable', why: { code: 'store-not-reached', facts: {} } });
  expect(await screen.findByText(page.failed)).toBeDefined();
  expect(screen.getByRole('alert').textContent).toContain(en.why['store-not-reached']({}));
  expect(screen.getByRole('button', { name: page.retry })).toBeDefined();
});

const grant: ShownGrant = {
  id: 'g1',
  scope: {
    view: 'lock',
    key: 'in/leader',
    source: 'consul',
    datacenter: null,
    values: false,
    sessions: true,
    frames: [],
    label: '',
  },
  madeBy: { kind: 'anonymous' },
  madeAtMs: 1_000,
  endsAtMs: null,
  pausedAtMs: null,
  revokedAtMs: null,
  usedAtMs: null,
  tokenEndsAtMs: null,
  lostAtMs: null,
  state: 'active',
  cause: null,
};

/** Shows these; the list returns the server's requests. */
function listing(...grants: ShownGrant[]): GrantChange[] {
  const asked = answeringWith(grants);
  show();
  return asked;
}
function answeringWith(grants: readonly ShownGrant[]): GrantChange[] {
  const asked: GrantChange[] = [];
  vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
    if (typeof body === 'string') asked.push(JSON.parse(body).change);
    return Response.json({ whole: true, base: null, grants, grant });
  });
  return asked;
}
const button = (name: string) => screen.findByRole('button', { name });

test('a double click revokes nothing and leaves the question; a click of its own answers it', async () => {
  const asked = listing(grant);
  fireEvent.click(await button(page.revokeOf('in/leader')), { detail: 1 });
  fireEvent.click(await button(page.sure), { detail: 2 });
  fireEvent.click(await button(page.keep), { detail: 2 });
  expect(asked).toEqual([]);
  fireEvent.click(await button(page.sure), { detail: 1 });
  expect(await screen.findByText(page.changed.revoke)).toBeDefined();
  expect(asked).toEqual(['revoke']);
});

test('the keyboard answers at once, and what was said before is gone by then', async () => {
  const asked = listing(grant);
  fireEvent.click(await button(page.pauseOf('in/leader')));
  expect(await screen.findByText(page.changed.pause)).toBeDefined();
  fireEvent.click(await button(page.revokeOf('in/leader')), { detail: 0 });
  expect(screen.queryByText(page.changed.pause)).toBeNull();
  // "Keep" is last, where the pressed button was.
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent);
  expect(names.slice(-2)).toEqual([page.sure, page.keep]);
  fireEvent.click(await button(page.sure), { detail: 0 });
  expect(await screen.findByText(page.changed.revoke)).toBeDefined();
  expect(asked).toEqual(['pause', 'revoke']);
});

test('the focus of the buttons that go with a revoked share is in its row, and one elsewhere stays', async () => {
  const other = { ...grant, id: 'g2', scope: { ...grant.scope, key: 'in/other' } };
  for (const focus of ['in the row', 'on another row', 'nowhere']) {
    let read = () => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    let state: ShownGrant['state'] = 'active';
    vi.stubGlobal('fetch', async (_: string, { body }: RequestInit) => {
      if (typeof body === 'string') state = 'revoked';
      else if (state === 'revoked') await isRead;
      return Response.json({ whole: true, base: null, grants: [{ ...grant, state }, other], grant });
    });
    show();
    fireEvent.click(await button(page.revokeOf('in/leader')), { detail: 0 });
    fireEvent.click(await button(page.sure), { detail: 0 });
    // The question closes first, and its button has the focus until the list is read.
    const revoke = await button(page.revokeOf('in/leader'));
    await vi.waitFor(() => expect(document.activeElement).toBe(revoke));
    const pause = screen.getByRole('button', { name: page.pauseOf('in/other') });
    if (focus === 'on another row') pause.focus();
    if (focus === 'nowhere') revoke.blur();
    const before = document.activeElement;
    read();
    await vi.waitFor(() => expect(revoke.isConnected).toBe(false));
    const row = document.querySelector('[data-grant=g1]');
    expect(document.activeElement, focus).toBe(focus === 'in the row' ? row : before);
    cleanup();
  }
});

test('a share that is revoked says when that was, and not that it ends', async () => {
  listing({ ...grant, state: 'revoked', revokedAtMs: 2_000 });
  expect(await screen.findByText(page.endedAt)).toBeDefined();
  expect(screen.queryByText(page.notEnding)).toBeNull();
});

test('that nothing is shared is said once', async () => {
  listing();
  expect(await screen.findAllByText(page.sentence(0, 0))).toHaveLength(1);
  expect(screen.getByText(page.empty)).toBeDefined();
});

test('shares of one name in two sources are told apart, to the eye and by their buttons', async () => {
  answeringWith([grant, { ...grant, id: 'g2', scope: { ...grant.scope, source: 'redis' } }]);
  show('consul', 'redis');
  for (const source of ['consul', 'redis']) {
    expect(await button(page.revokeOf(`in/leader, ${source}`))).toBeDefined();
    expect(document.querySelector(`[data-source="${source}"]`)?.textContent).toContain(source);
  }
});
