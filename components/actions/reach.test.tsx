// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import {
  dialog,
  openPlan,
  plan,
  planned,
  server,
  show,
  stageDialog,
} from '@/components/actions/fixture/dialog';
import { idOf } from '@/components/fixture/world';

stageDialog();

const keyOf = (n: number) => ({ source: 'consul', kind: 'lock', key: `k/${n}` });
const freed = (n: number) => ({ subject: keyOf(n), effect: 'released', who: null, detail: null });
const above = (one: Element, other: Element) =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

test('other parties it hits stand before everything long, and in numbers beside the fields', async () => {
  const hits = {
    ...plan,
    touches: [freed(1), freed(2), { ...freed(3), effect: 'deleted' }],
    warnings: [...plan.warnings, { code: 'holds-more', facts: { others: 3 } }],
  };
  server.answer = () => Response.json({ ...planned, plan: hits });
  show();
  await openPlan();
  const sentence = dialog().getByText('The session also holds 3 other keys or slots and loses them too.');
  expect(above(sentence, dialog().getByRole('heading', { name: 'Will be written' }))).toBe(true);
  const numbers = dialog().getByText('Frees 2 other locks or slots. Deletes 1 other key.');
  // Below the part that scrolls, so that it stays in sight.
  expect(numbers.closest('.overflow-y-auto')).toBe(screen.getByRole('dialog'));
  expect(above(numbers, dialog().getByLabelText('Reason'))).toBe(true);
});

test('a slot whose record stays is not counted among what is freed, and what stays of it is said', async () => {
  const stays = {
    subject: { source: 'consul', kind: 'semaphore', prefix: 'pool' },
    effect: 'loses-slot',
    who: null,
    detail: { code: 'record-stays', facts: { waiters: 2 } },
  };
  server.answer = () => Response.json({ ...planned, plan: { ...plan, touches: [freed(1), stays] } });
  show();
  await openPlan();
  expect(dialog().getByText('Frees 1 other lock or slot.')).toBeTruthy();
  expect(dialog().getByText(/its record stays, as a ghost/).textContent).toContain('for 2 waiters');
});

test('a plan that hits no other party is silent about it: the ghosts of a prune are its target', async () => {
  const prune = {
    ...plan,
    summary: { code: 'prune-one', facts: { prefix: 's', ghosts: 1 } },
    touches: [
      {
        subject: { source: 'consul', kind: 'session', id: idOf(8) },
        effect: 'loses-slot',
        who: null,
        detail: null,
      },
    ],
    friction: 'click',
  };
  server.answer = () => Response.json({ ...planned, plan: prune });
  show({ action: { type: 'semaphore.prune', source: 'consul', prefixes: ['s'] } });
  fireEvent.click(screen.getByRole('button', { name: 'Prune 1 ghost' }));
  await screen.findByText(/^Prune 1 ghost from s:/);
  expect(dialog().queryByText(/^(Frees|Deletes)|at once\.$/)).toBeNull();
});
