// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { MendButton } from '@/components/action/mend-button';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, idOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { SessionContext } from '@/components/identity/session-root';
import type { Connection } from '@/lib/client/live-view';
import type { Action } from '@/lib/domain/action';
import type { Why } from '@/lib/domain/refusal';
import type { Snapshot } from '@/lib/domain/snapshot';
import type { Visitor } from '@/lib/domain/visitor';
import { ActionGround, actionDialog } from './ground';

const evict: Action = { type: 'semaphore.evict', prefix: 's', sessionId: idOf(1), how: 'destroy-session' };
const world = snapshotOf({
  semaphores: [semaphoreOf('s', { holders: [holderOf(1), holderOf(2), holderOf(8, 'ghost')] })],
  sessions: [sessionOf(1), sessionOf(2)],
});
const plan = {
  summary: { code: 'evict-holder', facts: { prefix: 's', holder: 'worker-1' } },
  writes: [{ operation: 'destroy-session', target: idOf(1), condition: null, before: null, after: null }],
  touches: [],
  warnings: [{ code: 'no-lock-delay', facts: { because: 'semaphore' } }],
  undo: { code: 'none-session', facts: {}, action: null },
  manual: [{ tool: 'curl', note: { code: 'ends-session', facts: { sessionId: idOf(1) } }, command: 'curl' }],
  friction: 'type-name',
  confirmName: 'worker-1',
};
const summary = 'Evict worker-1 from s by destroying its session.';
const planned = { plan, expect: { entries: [], sessions: [idOf(1)] } };
const done = { outcome: { done: true, freed: [], after: null, warnings: [], parts: [] } };

interface Sent {
  readonly mode: 'plan' | 'apply';
  readonly action: Action;
  readonly reason: string;
  readonly expect?: unknown;
}
let sent: Sent[];
let answer: (body: Sent) => Response;

// Its code comes when somebody is about to open one.
beforeAll(actionDialog.load);
beforeEach(() => {
  sent = [];
  answer = (body) => Response.json(body.mode === 'plan' ? planned : done);
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as Sent;
    sent.push(body);
    return answer(body);
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show({
  action = evict,
  snapshot = world,
  connection = 'live' as Connection['state'],
  actionsOff = null as Why | null,
  as = null as Visitor | null,
} = {}) {
  const view = liveViewOf(snapshot, { state: connection, sinceMs: 0 });
  const ground = (
    <ActionGround actionsOff={actionsOff}>
      <MendButton action={action} />
    </ActionGround>
  );
  render(
    <Live view={view}>
      {as === null ? ground : <SessionContext value={{ at: 'in', session: as }}>{ground}</SessionContext>}
    </Live>,
  );
  return (next: Snapshot) => act(() => void view.snapshot.set(next));
}

const dialog = () => within(screen.getByRole('dialog'));
const button = (name: string | RegExp) => dialog().getByRole('button', { name });

async function openPlan() {
  fireEvent.click(screen.getByRole('button', { name: 'Evict worker-1' }));
  await screen.findByText(summary);
}

function type(reason: string, name: string) {
  fireEvent.change(dialog().getByLabelText('Reason'), { target: { value: reason } });
  fireEvent.change(dialog().getByLabelText(/to confirm/), { target: { value: name } });
}

test('a button keeps the focus while what it says of itself comes and goes', () => {
  const bring = show();
  const action = screen.getByRole('button', { name: 'Evict worker-1' });
  action.focus();
  bring({ ...world, version: 2, source: { ...world.source, state: 'stale' } });
  expect(action.getAttribute('aria-disabled')).toBe('true');
  expect(document.activeElement).toBe(action);
  bring({ ...world, version: 3 });
  expect(action.getAttribute('aria-disabled')).toBeNull();
  expect(document.activeElement).toBe(action);
});

test.each([
  [
    'the data is stale',
    { snapshot: snapshotOf({ ...world, source: { ...world.source, state: 'stale' } }) },
    /stale/,
  ],
  [
    'Consul is down',
    { snapshot: snapshotOf({ ...world, source: { ...world.source, state: 'down' } }) },
    /Consul does not answer/,
  ],
  ['the connection is lost', { connection: 'lost' as const }, /lost its connection/],
  [
    'the server takes no actions',
    { actionsOff: { code: 'actions-off', facts: {} } as const },
    /switched off here/,
  ],
  ['the rule says no', { action: { ...evict, sessionId: idOf(8) } }, /ghost/],
])('a button that may not act says why, can be focused, and asks for nothing: %s', (_what, given, reason) => {
  show(given);
  const blocked = screen.getByRole('button', { name: /^Evict/ });
  expect(blocked.getAttribute('aria-disabled')).toBe('true');
  expect(blocked.hasAttribute('disabled')).toBe(false);
  const described = document.getElementById(blocked.getAttribute('aria-describedby') ?? '');
  expect(described?.textContent).toMatch(reason);
  fireEvent.click(blocked);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent).toEqual([]);
});

test('opening asks for a plan, writes nothing, and puts the focus on Cancel', async () => {
  show();
  await openPlan();
  expect(sent.map((body) => body.mode)).toEqual(['plan']);
  expect(document.activeElement?.textContent).toBe('Cancel');
  expect(button('Evict worker-1').getAttribute('aria-disabled')).toBe('true');
});

test('an alive holder is evicted only with a reason and its name, by what the plan saw', async () => {
  show();
  await openPlan();
  type('hangs since noon', 'worker');
  fireEvent.click(button('Evict worker-1'));
  expect(sent).toHaveLength(1);
  type('hangs since noon', 'worker-1');
  fireEvent.click(button('Evict worker-1'));
  await screen.findByText('What happened, as seen in Consul');
  expect(sent[1]).toEqual({
    mode: 'apply',
    action: evict,
    reason: 'hangs since noon',
    expect: planned.expect,
  });
});

test('another way asks for another plan, and what was typed stays', async () => {
  show();
  await openPlan();
  type('because', 'worker-1');
  fireEvent.click(dialog().getByRole('radio', { name: /Take the slot only/ }));
  await waitFor(() => expect(sent).toHaveLength(2));
  expect(sent[1]?.action).toEqual({ ...evict, how: 'slot-only' });
  await screen.findByText(summary);
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
  expect(dialog().getByRole('heading', { name: 'Take the slot of worker-1 from s' })).toBeTruthy();
  expect(button('Take the slot of worker-1')).toBeTruthy();
});

test('when it moved, the difference is shown and a new plan keeps what was typed', async () => {
  answer = (body) =>
    body.mode === 'plan'
      ? Response.json(planned)
      : Response.json(
          {
            code: 'stale',
            why: { code: 'changed-since', facts: {} },
            difference: [{ code: 'limit-changed', facts: { before: '3', now: '5' } }],
          },
          { status: 409, headers: { 'content-type': 'application/problem+json' } },
        );
  show();
  await openPlan();
  type('because', 'worker-1');
  fireEvent.click(button('Evict worker-1'));
  await screen.findByText('limit was 3, is 5 now');
  expect(dialog().queryByText(summary)).toBeNull();
  expect(dialog().queryByRole('radio')).toBeNull();
  fireEvent.click(button('Plan again'));
  await waitFor(() => expect(button('Evict worker-1').hasAttribute('aria-disabled')).toBe(false));
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
  expect(dialog().getByLabelText<HTMLInputElement>(/to confirm/).value).toBe('worker-1');
});

test.each(['not-held', 'not-found'])(
  'a refusal that would only repeat itself offers no new plan: %s',
  async (code) => {
    answer = () =>
      Response.json(
        { code, why: { code: 'nobody-holds', facts: {} } },
        { status: 409, headers: { 'content-type': 'application/problem+json' } },
      );
    show();
    fireEvent.click(screen.getByRole('button', { name: 'Evict worker-1' }));
    await screen.findByText('Nobody holds this lock.');
    expect(dialog().queryByRole('button', { name: 'Plan again' })).toBeNull();
    fireEvent.click(button('Close'));
    expect(screen.queryByRole('dialog')).toBeNull();
  },
);

test('a choice that another way may get past stays on show', async () => {
  answer = () =>
    Response.json(
      { code: 'conflict-in-use', why: { code: 'new-here', facts: {}, text: 'in use' } },
      { status: 409, headers: { 'content-type': 'application/problem+json' } },
    );
  show();
  fireEvent.click(screen.getByRole('button', { name: 'Evict worker-1' }));
  await screen.findByText('in use');
  expect(dialog().getAllByRole('radio')).toHaveLength(2);
});

test('a link that breaks after sending is not known to have done nothing', async () => {
  answer = (body) => {
    if (body.mode === 'apply') throw new TypeError('network');
    return Response.json(planned);
  };
  show();
  await openPlan();
  type('because', 'worker-1');
  fireEvent.click(button('Evict worker-1'));
  expect(await screen.findByText('It is not known whether this was done.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: 'Evict worker-1' })).toBeNull();
});

test('where nobody ever answers, the dialog says after a while that it is not known, sends nothing again, and keeps what was typed', async () => {
  show();
  await openPlan();
  type('because', 'worker-1');
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (_url: string, { body, signal }: RequestInit) => {
    sent.push(JSON.parse(String(body)) as Sent);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  fireEvent.click(button('Evict worker-1'));
  await act(() => vi.advanceTimersByTimeAsync(89_000));
  expect(dialog().queryByText('It is not known whether this was done.')).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(dialog().getByText('It is not known whether this was done.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: 'Evict worker-1' })).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(300_000));
  expect(sent.map(({ mode }) => mode)).toEqual(['plan', 'apply']);
  vi.useRealTimers();
  vi.stubGlobal('fetch', async () => Response.json(planned));
  fireEvent.click(button('Plan again'));
  await waitFor(() => expect(button('Evict worker-1').hasAttribute('aria-disabled')).toBe(false));
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
});

test('live data never changes the open dialog, and tells what follows once it is done', async () => {
  const bring = show();
  await openPlan();
  bring({
    ...world,
    version: 2,
    semaphores: [semaphoreOf('s', { holders: [holderOf(1, 'suspect', { label: 'other' })] })],
  });
  expect(dialog().getByRole('heading', { name: 'Evict worker-1 from s' })).toBeTruthy();
  type('because', 'worker-1');
  bring({ ...world, version: 3 });
  fireEvent.click(button('Evict worker-1'));
  await screen.findByText('Not seen in the data yet…');
  bring({ ...world, version: 4, semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(15)] })] });
  expect(await screen.findByText('worker-1 is out')).toBeTruthy();
  expect(screen.getByText(/taken by worker-15/)).toBeTruthy();
});

test('a resize asks for a limit first, and plans only for one that can be set', async () => {
  show({ action: { type: 'semaphore.resize', prefix: 's', limit: 1 } });
  fireEvent.click(screen.getByRole('button', { name: 'Resize…' }));
  await screen.findByText(/Enter another limit/);
  for (const text of ['0', 'three', '3', '2.5', '9999999'])
    fireEvent.change(dialog().getByLabelText('New limit'), { target: { value: text } });
  expect(sent).toEqual([]);
  fireEvent.change(dialog().getByLabelText('New limit'), { target: { value: '5' } });
  await waitFor(() =>
    expect(sent.at(-1)?.action).toEqual({ type: 'semaphore.resize', prefix: 's', limit: 5 }),
  );
});

test('the reason is said to be filed under a name only where somebody is known', async () => {
  show();
  await openPlan();
  expect(dialog().getByText(/^Goes into the audit, with the time and no name/)).toBeTruthy();
  cleanup();
  const ada: Visitor = {
    identity: { kind: 'proxy', name: 'ada@example.org' },
    accessControl: 'off',
    maySee: true,
    why: null,
    writes: { allowed: true },
    endsAtMs: null,
    idleEndsAtMs: null,
  };
  show({ as: ada });
  await openPlan();
  expect(dialog().getByText(/with your name \(ada@example\.org\)/)).toBeTruthy();
});

const keyOf = (n: number) => ({ kind: 'lock', key: `k/${n}` });
const freed = (n: number) => ({ subject: keyOf(n), effect: 'released', who: null, detail: null });
const above = (one: Element, other: Element) =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

test('whom else it hits stands before everything long, and in numbers beside what must be typed', async () => {
  const hits = {
    ...plan,
    touches: [freed(1), freed(2), { ...freed(3), effect: 'deleted' }],
    warnings: [...plan.warnings, { code: 'holds-more', facts: { others: 3 } }],
  };
  answer = () => Response.json({ ...planned, plan: hits });
  show();
  await openPlan();
  const sentence = dialog().getByText('The session holds 3 other keys as well, and loses them too.');
  expect(above(sentence, dialog().getByRole('heading', { name: 'Will be written' }))).toBe(true);
  const numbers = dialog().getByText('Frees 2 other locks or slots. Deletes 1 other key.');
  // Below the part that scrolls, where it cannot scroll out of sight.
  expect(numbers.closest('.overflow-y-auto')).toBe(screen.getByRole('dialog'));
  expect(above(numbers, dialog().getByLabelText('Reason'))).toBe(true);
});

test('what hits nobody else says nothing of it: the ghosts of a prune are what is meant', async () => {
  const prune = {
    ...plan,
    summary: { code: 'prune-one', facts: { prefix: 's', ghosts: 1 } },
    touches: [{ subject: { kind: 'session', id: idOf(8) }, effect: 'loses-slot', who: null, detail: null }],
    friction: 'click',
  };
  answer = () => Response.json({ ...planned, plan: prune });
  show({ action: { type: 'semaphore.prune', prefixes: ['s'] } });
  fireEvent.click(screen.getByRole('button', { name: 'Prune 1 ghost' }));
  await screen.findByText(/^Prune 1 ghost from s:/);
  expect(dialog().queryByText(/^(Frees|Deletes)|at once\.$/)).toBeNull();
});

test('a long name is cut in its middle on buttons, in the title and in the summary, and whole in their titles', async () => {
  const name = `a${'k'.repeat(300)}z`;
  const snapshot = snapshotOf({
    semaphores: [semaphoreOf(`long/${name}`, { holders: [holderOf(1, 'alive', { label: name })] })],
  });
  const facts = { prefix: `long/${name}`, holder: name };
  answer = () => Response.json({ ...planned, plan: { ...plan, summary: { code: 'evict-holder', facts } } });
  show({ snapshot, action: { ...evict, prefix: `long/${name}` } });
  const opener = screen.getByRole('button', { name: /^Evict/ });
  expect(opener.textContent).toMatch(/^Evict ak+…k+z$/);
  expect(opener.textContent?.length).toBeLessThan(40);
  expect(opener.title).toBe(`Evict ${name}`);
  fireEvent.click(opener);
  await screen.findByText(/destroying its session\.$/);
  expect(screen.getByText(/destroying its session\.$/).textContent?.length).toBeLessThan(200);
  expect(button(/^Evict ak+…k+z$/).textContent?.length).toBeLessThan(40);
  const title = dialog().getByRole('heading', { level: 2 });
  expect(title.textContent?.length).toBeLessThan(160);
  expect(title.querySelector('[title]')?.getAttribute('title')).toBe(`Evict ${name} from long/${name}`);
});
