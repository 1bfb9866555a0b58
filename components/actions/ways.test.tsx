// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import {
  dialog,
  evict,
  openPlan,
  planned,
  type Sent,
  server,
  show,
  stageDialog,
  summary,
} from '@/components/actions/fixture/dialog';
import { lockOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import type { Right } from '@/lib/domain/identity';
import type { Visitor } from '@/lib/domain/visitor';

stageDialog();

const ada: Visitor = {
  identity: { kind: 'token', id: 'a', name: 'ada' },
  accessControl: 'on',
  maySee: true,
  why: null,
  writes: { allowed: true },
  endsAtMs: null,
  idleEndsAtMs: null,
  tokenEndsAtMs: null,
};

/** Opens the dialog for a person with these rights to each way, and returns the chosen way. */
async function opened(rights: Readonly<Record<'destroy-session' | 'slot-only', Right>>) {
  server.answer = (body) => {
    const { actions } = body as unknown as { readonly actions?: readonly { how: keyof typeof rights }[] };
    if (actions === undefined) return Response.json(planned);
    const end = { code: 'end-session', facts: { node: 'node-1' } };
    return Response.json({
      rights: actions.map(({ how }) => rights[how]),
      needs: actions.map(({ how }) => (how === 'destroy-session' ? [end] : [])),
    });
  };
  show({ as: ada });
  const button = screen.getByRole('button', { name: 'Evict worker-1' });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  await openPlan();
  const [whole, slot] = dialog().getAllByRole<HTMLInputElement>('radio');
  return {
    whole: whole as HTMLInputElement,
    slot: slot as HTMLInputElement,
    plans: () => server.sent.filter((body: Sent) => body.mode === 'plan').map(({ action }) => action),
  };
}

const saidOf = (radio: HTMLInputElement) => radio.closest('label')?.textContent ?? '';
const refusal = /Your token may not do this\. Consul requires session:write on the node node-1/;

test('where one way is refused the dialog opens with the other, and the refused one says why', async () => {
  const { whole, slot, plans } = await opened({ 'destroy-session': 'no', 'slot-only': 'yes' });
  expect(slot.checked).toBe(true);
  expect(plans()).toEqual([{ ...evict, how: 'slot-only' }]);
  expect(saidOf(whole)).toMatch(refusal);
  expect(saidOf(slot)).not.toMatch(/may not/);
  // It can still be selected, and is not sent.
  fireEvent.click(whole);
  await waitFor(() => expect(plans()).toHaveLength(2));
  await waitFor(() => expect(document.getElementById('why-not')?.textContent).toMatch(refusal));
});

test('where nothing is refused the dialog opens with what was asked for, and marks none', async () => {
  const { whole, slot, plans } = await opened({ 'destroy-session': 'unknown', 'slot-only': 'yes' });
  expect(whole.checked).toBe(true);
  expect(plans()).toEqual([evict]);
  for (const radio of [whole, slot]) expect(saidOf(radio)).not.toMatch(/may not/);
});

test.each([
  [15_000, /Consul then refuses its locks to everyone for 15 s\./],
  [0, /Frees everything that this session holds\.$/],
] as const)(
  'ending a session promises the lock-delay that it has, and no other: %d ms',
  async (lockDelayMs, said) => {
    const session = sessionOf(1, { lockDelayMs });
    const snapshot = snapshotOf({ locks: [lockOf('k')], sessions: [session] });
    show({ action: { type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' }, snapshot });
    fireEvent.click(screen.getByRole('button', { name: /^Release/ }));
    await screen.findByText(summary);
    const [whole] = dialog().getAllByRole<HTMLInputElement>('radio');
    expect(saidOf(whole as HTMLInputElement).replaceAll('\u00a0', ' ')).toMatch(said);
  },
);
