// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import {
  holderOf,
  idOf,
  lockOf,
  nowMs,
  semaphoreOf,
  sessionOf,
  snapshotOf,
} from '@/components/fixture/world';
import type { Action } from '@/lib/domain/action';
import type { Holder } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { formatTime } from '@/lib/words/format';
import {
  button,
  dialog,
  evict,
  openPlan,
  planned,
  server,
  show,
  stageDialog,
  type,
  world,
} from './fixture/dialog';
import { pinnedOf } from './request';
import { changeSince } from './since-shown';

stageDialog();

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const at = (seconds: number) => formatTime(nowMs + seconds * 1000, zone);
const after = (seconds: number, holders: readonly Holder[], version = seconds + 1): Snapshot => ({
  ...world,
  version,
  asOfMs: nowMs + seconds * 1000,
  semaphores: [semaphoreOf('s', { holders })],
});
const line = () => dialog().getByRole('status').textContent;

test('an open dialog says once that its subject is gone, with the time, and goes on showing what was planned', async () => {
  const bring = show();
  await openPlan();
  expect(line()).toBe('');
  const status = dialog().getByRole('status');
  const shown = dialog().getByText(/^As shown/).textContent;
  bring(after(5, [holderOf(2)]));
  expect(line()).toBe(`Seen at ${at(5)}: it holds no slot here any more.`);
  // Nothing that comes later says it again.
  bring(after(9, [holderOf(2)]));
  expect(line()).toBe(`Seen at ${at(5)}: it holds no slot here any more.`);
  bring(after(12, [holderOf(2), holderOf(15)]));
  expect(line()).toBe(`Seen at ${at(12)}: it holds no slot here any more, and worker-15 has come.`);
  // The same region all the time, or a screen reader would not hear of it.
  expect(dialog().getByRole('status')).toBe(status);
  expect(dialog().getByText(/^As shown/).textContent).toBe(shown);
  expect(button('Evict worker-1')).toBeTruthy();
  expect(server.sent).toHaveLength(1);
});

test('a plan is made anew from the line, of what is shown by then; what was typed stays, and so does the focus in the dialog', async () => {
  const bring = show({ snapshot: after(0, [holderOf(1, 'overdue')]) });
  await openPlan();
  type('because', 'worker-1');
  bring(after(5, [holderOf(1)]));
  expect(line()).toBe(`Seen at ${at(5)}: it is alive again.`);
  expect(dialog().getByText(/^overdue/)).toBeTruthy();
  fireEvent.click(button('Plan again'));
  await waitFor(() => expect(server.sent.map(({ mode }) => mode)).toEqual(['plan', 'plan']));
  expect(line()).toBe('');
  expect(dialog().getByText(/^alive/)).toBeTruthy();
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
  expect(document.activeElement?.textContent).toBe('Cancel');
});

test('what the dialog itself brings about is not told as a change behind it', async () => {
  let answer: (response: Response) => void = () => {};
  const bring = show();
  await openPlan();
  type('because', 'worker-1');
  const sent = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  globalThis.fetch = async () => sent;
  fireEvent.click(button('Evict worker-1'));
  bring(after(5, [holderOf(2)]));
  expect(button('Writing…')).toBeTruthy();
  expect(line()).toBe('');
  answer(Response.json(planned));
});

test('a server that has read nothing yet does not say that anything is gone', async () => {
  const bring = show();
  await openPlan();
  bring(snapshotOf({ version: 2, source: { ...world.source, state: 'down', staleSinceMs: null } }));
  expect(line()).toBe('');
});

const key = { type: 'lock.release', key: 'k', how: 'destroy-session' } as const satisfies Action;
const destroy = { type: 'session.destroy', sessionId: idOf(1) } as const satisfies Action;
const prune = { type: 'semaphore.prune', prefixes: ['s'] } as const satisfies Action;
const resize = { type: 'semaphore.resize', prefix: 's', limit: 5 } as const satisfies Action;
const drop = { type: 'semaphore.delete', prefix: 's' } as const satisfies Action;
const locks = (over: Parameters<typeof lockOf>[1]) => snapshotOf({ locks: [lockOf('k', over)] });
const slots = (...holders: Holder[]) => snapshotOf({ semaphores: [semaphoreOf('s', { holders })] });
const free = { state: 'free', holder: null } as const;
const session = (verdict: Holder['verdict'], over = {}) =>
  snapshotOf({ sessions: [sessionOf(1, over)], locks: [lockOf('k', { holder: holderOf(1, verdict) })] });
const dead = holderOf(1, 'overdue');
const gone = snapshotOf({});

test.each<[string, Action, Snapshot, Snapshot, object | null]>([
  ['a lock as it was', key, locks({}), locks({}), null],
  ['a lock that is let go', key, locks({}), locks(free), { code: 'nobody' }],
  [
    'a lock that somebody else has',
    key,
    locks({}),
    locks({ holder: holderOf(2) }),
    { code: 'taken', label: 'worker-2' },
  ],
  ['a lock taken again by the same', key, locks({}), locks({ lockIndex: '99' }), { code: 'retaken' }],
  [
    'a holder alive again',
    key,
    locks({ holder: dead }),
    locks({}),
    { code: 'judged', before: 'overdue', now: 'alive' },
  ],
  [
    'a holder that dies',
    key,
    locks({}),
    locks({ holder: dead }),
    { code: 'judged', before: 'alive', now: 'overdue' },
  ],
  [
    'a holder dead in another way',
    key,
    locks({ holder: dead }),
    locks({ holder: holderOf(1, 'suspect') }),
    null,
  ],
  ['a key that is gone', key, locks({}), gone, { code: 'gone', kind: 'lock' }],
  [
    'a key that went with its session',
    key,
    locks({}),
    locks({ ...free, exists: false }),
    { code: 'gone', kind: 'lock' },
  ],
  [
    'a free lock that is taken',
    { type: 'lock.delete', key: 'k' },
    locks(free),
    locks({}),
    { code: 'taken', label: 'worker-1' },
  ],
  ['a slot as it was', evict, slots(holderOf(1)), slots(holderOf(1), holderOf(2)), null],
  [
    'a holder of a slot that dies',
    evict,
    slots(holderOf(1)),
    slots(dead),
    { code: 'judged', before: 'alive', now: 'overdue' },
  ],
  [
    'a holder whose record is all that is left',
    evict,
    slots(dead),
    slots(holderOf(1, 'ghost')),
    { code: 'leaks' },
  ],
  ['a ghost', evict, slots(holderOf(1, 'ghost')), slots(holderOf(1, 'ghost')), null],
  [
    'a ghost that is back',
    evict,
    slots(holderOf(1, 'ghost')),
    slots(holderOf(1, 'suspect')),
    { code: 'judged', before: 'ghost', now: 'suspect' },
  ],
  ['a semaphore that is gone', evict, slots(holderOf(1)), gone, { code: 'gone', kind: 'semaphore' }],
  ['a session that is gone', destroy, session('alive'), gone, { code: 'gone', kind: 'session' }],
  [
    'a session alive again',
    destroy,
    session('suspect'),
    session('alive'),
    { code: 'judged', before: 'suspect', now: 'alive' },
  ],
  [
    'a session that holds more',
    destroy,
    session('alive'),
    session('alive', { holds: [{ kind: 'lock', key: 'l' }] }),
    { code: 'holdings' },
  ],
  ['ghosts that are pruned', prune, slots(holderOf(8, 'ghost')), slots(), { code: 'ghosts', ghosts: 0 }],
  [
    'another limit',
    resize,
    slots(),
    snapshotOf({ semaphores: [semaphoreOf('s', { limit: 4 })] }),
    { code: 'limit', limit: 4 },
  ],
  ['an idle semaphore that is used', drop, slots(), slots(holderOf(1)), { code: 'used' }],
])('what is said to have changed behind a dialog, and what is not: %s', (_, action, before, now, change) => {
  const request = { action, ...pinnedOf(action, before), label: '', name: '', limitTyped: '' };
  expect(changeSince(request, before, now)).toEqual(change);
});

test('the line keeps its place while it is empty', async () => {
  const { SinceLine } = await import('./since-line');
  const request = { action: evict, ...pinnedOf(evict, world), label: '', name: '', limitTyped: '' };
  render(
    <Live view={liveViewOf(world)}>
      <SinceLine request={request} watch onPlanAgain={null} />
    </Live>,
  );
  expect(screen.getByRole('status').parentElement?.className).toMatch(/min-h-10.*sm:min-h-5/);
});
