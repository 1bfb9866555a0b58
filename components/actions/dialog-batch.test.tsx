// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ActionMenu } from '@/components/actions/action-menu';
import { MendButton } from '@/components/actions/mend-button';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, idOf, lockOf, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import type { Action } from '@/lib/domain/actions/action';
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { ActionProvider, actionDialog } from './action-provider';

const basePlan: Plan = {
  summary: { code: 'prune-many', facts: { semaphores: 2, ghosts: 3 } },
  writes: [],
  touches: [],
  warnings: [],
  undo: { code: 'not-needed', facts: {}, action: null },
  manual: [],
  friction: 'click',
  confirmName: null,
};
let plan: Plan;
let outcome: Outcome;
let sessions: string[];
let sent: { mode: string; action: Action }[];

// Its code loads on demand.
beforeAll(actionDialog.load);
beforeEach(() => {
  plan = basePlan;
  outcome = { done: true, freed: [], after: null, warnings: [], parts: [] };
  sessions = [];
  sent = [];
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as (typeof sent)[number];
    sent.push(body);
    return Response.json(
      body.mode === 'plan'
        ? { plan, expect: { entries: [], sessions }, saw: { sessions, verdict: null } }
        : { outcome },
    );
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(children: React.ReactNode, snapshot: Snapshot) {
  const view = liveViewOf(snapshot);
  render(
    <Live view={view}>
      <ActionProvider actionsOff={null}>{children}</ActionProvider>
    </Live>,
  );
  return (next: Snapshot) => act(() => void view.snapshot.set(next));
}

const dialog = () => within(screen.getByRole('dialog'));
const ghosts = (prefix: string, ...ns: number[]) =>
  semaphoreOf(prefix, { holders: ns.map((n) => holderOf(n, 'ghost')) });

test('a batch reports each part, and plans again for exactly those refused', async () => {
  outcome = {
    ...outcome,
    done: false,
    parts: [
      {
        subject: { source: 'consul', kind: 'semaphore', prefix: 'a' },
        done: true,
        problem: null,
        detail: { code: 'pruned', facts: { ghosts: 2, named: '0007…0007, 0008…0008' } },
      },
      {
        subject: { source: 'consul', kind: 'semaphore', prefix: 'b' },
        done: false,
        problem: {
          code: 'stale',
          why: { code: 'changed-since', facts: {} },
          difference: [{ code: 'ghosts-changed', facts: { before: 'x', now: 'x, y' } }],
        },
        detail: null,
      },
    ],
  };
  const prefixes = ['a', 'b'];
  show(
    <MendButton action={{ type: 'semaphore.prune', source: 'consul', prefixes }} />,
    snapshotOf({ semaphores: [ghosts('a', 7, 8), ghosts('b', 9)] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Prune 3 ghosts' }));
  expect(dialog().getByRole('heading', { name: 'Prune 3 ghosts from 2 semaphores' })).toBeTruthy();
  await screen.findByText(/Prune 3 ghosts from 2 semaphores: their recorded sessions/);
  fireEvent.click(dialog().getByRole('button', { name: 'Prune 3 ghosts' }));
  await screen.findByText('1 of 2 done');
  expect(dialog().getByText('pruned 2 ghosts: 0007…0007, 0008…0008')).toBeTruthy();
  expect(dialog().getByText('It changed since you looked. Nothing was written.')).toBeTruthy();
  expect(dialog().getByText('ghosts were x, now x, y')).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: /Plan again for the 1 refused/ }));
  await waitFor(() => expect(sent).toHaveLength(3));
  expect(sent[2]).toMatchObject({
    mode: 'plan',
    action: { type: 'semaphore.prune', source: 'consul', prefixes: ['b'] },
  });
});

test('a plan that leaves one alone who looks like a ghost is called by what it prunes, and its button too', async () => {
  plan = {
    ...basePlan,
    summary: { code: 'prune-one', facts: { prefix: 'a', ghosts: 1 } },
    touches: [
      {
        subject: { source: 'consul', kind: 'session', id: idOf(7) },
        effect: 'loses-slot',
        who: null,
        detail: null,
      },
    ],
    warnings: [{ code: 'hidden-stay', facts: { holders: 1, ids: idOf(8) } }],
  };
  show(
    <MendButton action={{ type: 'semaphore.prune', source: 'consul', prefixes: ['a'] }} />,
    snapshotOf({ semaphores: [ghosts('a', 7, 8)] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Prune 2 ghosts' }));
  expect(await screen.findByRole('heading', { name: 'Prune 1 ghost from a' })).toBeTruthy();
  expect(dialog().getByRole('button', { name: 'Prune 1 ghost' })).toBeTruthy();
  expect(dialog().getByText(/only looks like a ghost/)).toBeTruthy();
});

test('a plan about another holder than the one shown is refused, and the next plan names the present one', async () => {
  plan = {
    ...basePlan,
    summary: { code: 'release-lock', facts: { key: 'k', holder: 'worker-2' } },
    friction: 'reason',
  };
  sessions = [idOf(2)];
  const bring = show(
    <MendButton action={{ type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' }} />,
    snapshotOf({ locks: [lockOf('k')] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Release k' }));
  await screen.findByText('It changed since you looked.');
  expect(dialog().getByText(/^holder of k was 0001…0001, now 0002…0002$/)).toBeTruthy();
  expect(dialog().queryByText(/by destroying the session of worker-2/)).toBeNull();
  bring(snapshotOf({ version: 2, locks: [lockOf('k', { holder: holderOf(2) })] }));
  expect(dialog().getByRole('heading', { name: 'Release k from worker-1' })).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: 'Plan again' }));
  await screen.findByText(/by destroying the session of worker-2/);
  expect(dialog().getByRole('heading', { name: 'Release k from worker-2' })).toBeTruthy();
});

test('before a limit is typed, the dialog says whom a new one fails, by layout', async () => {
  const resize = { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 1 } as const;
  show(
    <MendButton action={resize} />,
    snapshotOf({ semaphores: [semaphoreOf('s', { waiters: [waiterOf(4), waiterOf(5)] })] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Resize…' }));
  await screen.findByText(/a new limit fails every waiter/);
  expect(dialog().getByText('worker-4')).toBeTruthy();
  expect(dialog().getByText('worker-5')).toBeTruthy();
  cleanup();
  show(
    <MendButton action={resize} />,
    snapshotOf({ semaphores: [semaphoreOf('s', { layout: 'java-semaphore' })] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Resize…' }));
  await screen.findByText(/growing is safe/);
  expect(dialog().getByText(/refuses a limit below 3/)).toBeTruthy();
  expect(sent).toEqual([]);
});

test('after a resize one button plans the way back', async () => {
  const undo: Action = { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 3 };
  plan = {
    ...basePlan,
    summary: { code: 'set-limit', facts: { prefix: 's', before: 3, limit: 5 } },
    undo: { code: 'set-limit-back', facts: { limit: 3 }, action: undo },
  };
  show(<MendButton action={{ ...undo, limit: 1 }} />, snapshotOf({ semaphores: [semaphoreOf('s')] }));
  fireEvent.click(screen.getByRole('button', { name: 'Resize…' }));
  fireEvent.change(dialog().getByLabelText('New limit'), { target: { value: '5' } });
  await screen.findByText('Set the limit of s from 3 to 5.');
  fireEvent.click(dialog().getByRole('button', { name: 'Resize s' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Set the limit back to 3…' }));
  expect(dialog().getByLabelText<HTMLInputElement>('New limit').value).toBe('3');
  expect(sent.map(({ mode }) => mode).filter((mode) => mode === 'apply')).toHaveLength(1);
});

test('Enter in a field does nothing', async () => {
  const ghost = {
    subject: { source: 'consul', kind: 'session', id: idOf(7) },
    effect: 'loses-slot',
  } as const;
  plan = { ...basePlan, friction: 'reason', touches: [{ ...ghost, who: null, detail: null }] };
  show(
    <MendButton action={{ type: 'semaphore.prune', source: 'consul', prefixes: ['a'] }} />,
    snapshotOf({ semaphores: [ghosts('a', 7)] }),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Prune 1 ghost' }));
  const reason = await screen.findByLabelText(/Reason/);
  fireEvent.change(reason, { target: { value: 'because' } });
  const form = reason.closest('form');
  if (form === null) throw new Error('The field has no form.');
  fireEvent.submit(form);
  expect(sent.map(({ mode }) => mode)).toEqual(['plan']);
});

test('the menu offers the rarer actions, says why not, and returns the focus to its button', async () => {
  const key = 'k';
  sessions = [idOf(1)];
  const actions: Action[] = [
    { type: 'lock.release', source: 'consul', key, how: 'hand-over' },
    { type: 'lock.delete', source: 'consul', key },
  ];
  show(<ActionMenu actions={actions} />, snapshotOf({ locks: [lockOf(key)] }));
  const more = screen.getByRole('button', { name: 'More…' });
  more.focus();
  fireEvent.keyDown(more, { key: 'Enter' });
  const blocked = await screen.findByRole('menuitem', { name: /Delete lock/ });
  expect(blocked.textContent).toMatch(/Somebody holds this lock/);
  fireEvent.click(blocked);
  expect(screen.queryByRole('dialog')).toBeNull();
  fireEvent.click(screen.getByRole('menuitem', { name: 'Hand over now…' }));
  expect(await screen.findByRole('heading', { name: 'Hand over k from worker-1' })).toBeTruthy();
  fireEvent.click(dialog().getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(document.activeElement).toBe(more));
});
