// @vitest-environment happy-dom
import { fireEvent, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { evict, server, show, stageDialog, world } from '@/components/actions/fixture/dialog';
import { idOf, snapshotOf } from '@/components/fixture/world';

stageDialog();

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
    /The server does not answer/,
  ],
  ['the connection is lost', { connection: 'lost' as const }, /lost its connection/],
  [
    'the server takes no actions',
    { actionsOff: { code: 'actions-off', facts: {} } as const },
    /Actions are off here/,
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
  expect(server.sent).toEqual([]);
});

test('a button is red where a finding that needs attention offers its action, and neutral on what is healthy', () => {
  const bring = show();
  const isRed = () =>
    screen.getByRole('button', { name: 'Evict worker-1' }).className.includes('text-danger');
  const finding = {
    id: 'f',
    code: 'overdue-holder' as const,
    facts: { holders: 1, label: 'worker-1', waiting: 0, full: 0 as const },
    subject: { kind: 'semaphore' as const, prefix: evict.prefix },
    grounds: [],
    also: [],
    mend: evict,
  };
  expect(isRed()).toBe(false);
  bring({ ...world, version: 2, findings: [{ ...finding, severity: 'notice' }] as never });
  expect(isRed()).toBe(false);
  bring({ ...world, version: 3, findings: [{ ...finding, severity: 'warning' }] as never });
  expect(isRed()).toBe(true);
  const other = { ...finding, severity: 'urgent', mend: { ...evict, sessionId: idOf(9) } };
  bring({ ...world, version: 4, findings: [other] as never });
  expect(isRed()).toBe(false);
});
