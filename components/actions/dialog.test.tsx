// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import {
  button,
  dialog,
  evict,
  openPlan,
  plan,
  planned,
  type Sent,
  server,
  show,
  stageDialog,
  summary,
  type,
  world,
} from '@/components/actions/fixture/dialog';
import { holderOf, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import type { Visitor } from '@/lib/domain/visitor';

stageDialog();

test('opening asks for a plan, writes nothing, and puts the focus where reading starts', async () => {
  show();
  await openPlan();
  expect(server.sent.map((body) => body.mode)).toEqual(['plan']);
  expect(document.activeElement).toBe(dialog().getByRole('region', { name: 'Plan' }));
  expect(button('Evict worker-1').getAttribute('aria-disabled')).toBe('true');
});

test('what to know and the risks stand before the writes', async () => {
  const warnings = [
    { code: 'no-lock-delay', facts: { because: 'semaphore' } },
    { code: 'clients-recreate', facts: {} },
  ];
  server.answer = () => Response.json({ ...planned, plan: { ...plan, warnings } });
  show();
  await openPlan();
  const headings = dialog().getAllByRole('heading', { level: 3 });
  expect(headings.map(({ textContent }) => textContent)).toEqual([
    'Before you act',
    'Risks',
    'Will be written',
    'Also affected',
    'Undo',
  ]);
});

test('an alive holder is evicted only with a reason and its name, by what the plan saw', async () => {
  show();
  await openPlan();
  type('hangs since noon', 'worker');
  fireEvent.click(button('Evict worker-1'));
  expect(server.sent).toHaveLength(1);
  type('hangs since noon', 'worker-1');
  fireEvent.click(button('Evict worker-1'));
  await screen.findByText('What the server shows since');
  expect(document.activeElement).toBe(dialog().getByRole('region', { name: 'What the server shows since' }));
  expect(server.sent[1]).toEqual({
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
  await waitFor(() => expect(server.sent).toHaveLength(2));
  expect(server.sent[1]?.action).toEqual({ ...evict, how: 'slot-only' });
  await screen.findByText(summary);
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
  expect(dialog().getByRole('heading', { name: 'Take the slot of worker-1 from s' })).toBeTruthy();
  expect(button('Take the slot of worker-1')).toBeTruthy();
});

test('when it moved, the difference is shown and a new plan keeps what was typed', async () => {
  server.answer = (body) =>
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
  await screen.findByText('limit was 3, now 5');
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
    server.answer = () =>
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
  server.answer = () =>
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
  server.answer = (body) => {
    if (body.mode === 'apply') throw new TypeError('network');
    return Response.json(planned);
  };
  show();
  await openPlan();
  type('because', 'worker-1');
  fireEvent.click(button('Evict worker-1'));
  expect(await screen.findByText('The outcome is unknown.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: 'Evict worker-1' })).toBeNull();
});

test('without an answer, the dialog says after a while that the outcome is unknown, sends nothing again, and keeps the typed text', async () => {
  show();
  await openPlan();
  type('because', 'worker-1');
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (_url: string, { body, signal }: RequestInit) => {
    server.sent.push(JSON.parse(String(body)) as Sent);
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  });
  fireEvent.click(button('Evict worker-1'));
  await act(() => vi.advanceTimersByTimeAsync(89_000));
  expect(dialog().queryByText('The outcome is unknown.')).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(dialog().getByText('The outcome is unknown.')).toBeTruthy();
  expect(dialog().queryByRole('button', { name: 'Evict worker-1' })).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(300_000));
  expect(server.sent.map(({ mode }) => mode)).toEqual(['plan', 'apply']);
  vi.useRealTimers();
  vi.stubGlobal('fetch', async () => Response.json(planned));
  fireEvent.click(button('Plan again'));
  await waitFor(() => expect(button('Evict worker-1').hasAttribute('aria-disabled')).toBe(false));
  expect(dialog().getByLabelText<HTMLInputElement>('Reason').value).toBe('because');
});

test('live data never changes the open dialog, and appears once it is done', async () => {
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
  await screen.findByText('Not in the data yet…');
  bring({ ...world, version: 4, semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(15)] })] });
  expect(await screen.findByText('worker-1 removed')).toBeTruthy();
  expect(screen.getByText(/taken by worker-15/)).toBeTruthy();
});

test('a resize asks for a limit first, and plans only for one that can be set', async () => {
  show({ action: { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 1 } });
  fireEvent.click(screen.getByRole('button', { name: 'Resize…' }));
  await screen.findByText(/Enter another limit/);
  for (const text of ['0', 'three', '3', '2.5', '9999999'])
    fireEvent.change(dialog().getByLabelText('New limit'), { target: { value: text } });
  expect(server.sent).toEqual([]);
  fireEvent.change(dialog().getByLabelText('New limit'), { target: { value: '5' } });
  await waitFor(() =>
    expect(server.sent.at(-1)?.action).toEqual({
      type: 'semaphore.resize',
      source: 'consul',
      prefix: 's',
      limit: 5,
    }),
  );
});

test('the reason is filed under a name only for a known person', async () => {
  show();
  await openPlan();
  expect(dialog().getByText(/^Recorded with the time, without a name/)).toBeTruthy();
  cleanup();
  const ada: Visitor = {
    identity: { kind: 'proxy', name: 'ada@example.org' },
    accessControl: 'off',
    maySee: true,
    why: null,
    writes: { allowed: true },
    endsAtMs: null,
    idleEndsAtMs: null,
    tokenEndsAtMs: null,
  };
  show({ as: ada });
  await openPlan();
  expect(dialog().getByText(/with your name \(ada@example\.org\)/)).toBeTruthy();
});

test('a long name is cut in its middle on buttons, in the title and in the summary, and whole in their titles', async () => {
  const name = `a${'k'.repeat(300)}z`;
  const snapshot = snapshotOf({
    semaphores: [semaphoreOf(`long/${name}`, { holders: [holderOf(1, 'alive', { label: name })] })],
  });
  const facts = { prefix: `long/${name}`, holder: name };
  server.answer = () =>
    Response.json({ ...planned, plan: { ...plan, summary: { code: 'evict-holder', facts } } });
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
