// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
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
} from '@/components/actions/fixture/dialog';
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
import type { Action } from '@/lib/domain/actions/action';
import type { Holder } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { formatTime } from '@/lib/i18n/format/format';
import { pinnedOf } from '@/lib/view/actions/request';

stageDialog();

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const at = (seconds: number) => formatTime(nowMs + seconds * 1000, zone);
const after = (seconds: number, holders: readonly Holder[], version = seconds + 1): Snapshot => ({
  ...world,
  version,
  asOfMs: nowMs + seconds * 1000,
  semaphores: [semaphoreOf('s', { holders })],
});
const renewedAt = (verdict: Holder['verdict'], seconds: number) =>
  holderOf(1, verdict, { evidence: [fact('renewal-observed', 'a', nowMs + seconds * 1000)] });
const line = () => dialog().getByRole('status').textContent;

test('an open dialog says once that its subject is gone, with the time, and keeps showing the plan', async () => {
  const bring = show();
  await openPlan();
  expect(line()).toBe('');
  const status = dialog().getByRole('status');
  const shown = dialog().getByText(/^As shown/).textContent;
  bring(after(5, [holderOf(2)]));
  expect(line()).toBe(`Seen at ${at(5)}: it no longer holds a slot here.`);
  // Later changes do not repeat it.
  bring(after(9, [holderOf(2)]));
  expect(line()).toBe(`Seen at ${at(5)}: it no longer holds a slot here.`);
  bring(after(12, [holderOf(2), holderOf(15)]));
  expect(line()).toBe(`Seen at ${at(12)}: it no longer holds a slot here, and worker-15 has come.`);
  // Always the same region, or a screen reader would not announce it.
  expect(dialog().getByRole('status')).toBe(status);
  expect(dialog().getByText(/^As shown/).textContent).toBe(shown);
  expect(button('Evict worker-1')).toBeTruthy();
  expect(server.sent).toHaveLength(1);
});

test('the line plans again from the present state; the typed text and the focus stay', async () => {
  const bring = show({ snapshot: after(0, [renewedAt('overdue', -20)]) });
  await openPlan();
  type('because', 'worker-1');
  bring(after(5, [renewedAt('alive', 5)]));
  expect(line()).toBe(`Seen at ${at(5)}: it is alive again.`);
  expect(dialog().getByText(/^overdue/)).toBeTruthy();
  fireEvent.click(button('Plan again'));
  await waitFor(() => expect(server.sent.map(({ mode }) => mode)).toEqual(['plan', 'plan']));
  expect(line()).toBe('');
  expect(dialog().getByText(/^alive/)).toBeTruthy();
  // During a new plan there are no fields.
  expect((await dialog().findByLabelText<HTMLInputElement>('Reason')).value).toBe('because');
  expect(document.activeElement).toBe(dialog().getByRole('region', { name: 'Plan' }));
});

test("the dialog's own effect is not reported as a change behind it", async () => {
  let answer: (response: Response) => void = () => {};
  const bring = show();
  await openPlan();
  type('because', 'worker-1');
  const sent = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  vi.stubGlobal('fetch', async () => sent);
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

const destroy = { type: 'session.destroy', source: 'consul', sessionId: idOf(1) } as const satisfies Action;
const session = (verdict: Holder['verdict']) =>
  snapshotOf({ sessions: [sessionOf(1)], locks: [lockOf('k', { holder: holderOf(1, verdict) })] });

test('a session is compared with what was shown, however late the line comes', async () => {
  const { SinceLine } = await import('./since-line');
  const request = {
    action: destroy,
    ...pinnedOf(destroy, session('alive')),
    label: '',
    name: '',
    limitTyped: '',
  };
  render(
    <Live view={liveViewOf(session('suspect'))}>
      <SinceLine request={request} watch onPlanAgain={null} />
    </Live>,
  );
  expect(screen.getByRole('status').textContent).toContain('its verdict is suspect now, no longer alive.');
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
