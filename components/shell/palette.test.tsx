// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ActionContext } from '@/components/actions/action-context';
import { Live, liveViewOf } from '@/components/fixture/live';
import { ghostFinding, holderOf, idOf, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import type { Why } from '@/lib/domain/refusal';
import type { DialogRequest } from '@/lib/view/actions/request';
import { Palette } from './palette';

vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: () => {} }),
  usePathname: () => '/',
  useSearchParams: () => new URLSearchParams(),
}));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const world = snapshotOf({
  semaphores: [semaphoreOf('import', { holders: [holderOf(1), holderOf(2, 'suspect')] })],
  findings: [ghostFinding('import')],
});

async function open(text: string, actionsOff: Why | null = null) {
  const asked: DialogRequest[] = [];
  const fetched = vi.fn();
  vi.stubGlobal('fetch', fetched);
  // Words are waited for with `use`, and a render that calls it ends with its `act`.
  await act(async () => {
    render(
      <Live view={liveViewOf(world)}>
        <ActionContext value={{ actionsOff, ask: (request) => void asked.push(request) }}>
          <Palette open onOpenChange={() => {}} />
        </ActionContext>
      </Live>,
    );
  });
  fireEvent.change(screen.getByRole('combobox'), { target: { value: text } });
  return { asked, fetched };
}
const options = () => screen.getAllByRole('option').map(({ textContent }) => textContent);

test('an action opens its dialog for what is shown, and writes nothing from here', async () => {
  const { asked, fetched } = await open('evict worker-2');
  expect(options()[0]).toBe('suspectEvict worker-2 from import…');
  fireEvent.click(screen.getByRole('option', { name: /Evict worker-2/ }));
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({
    action: { type: 'semaphore.evict', prefix: 'import', sessionId: idOf(2), how: 'destroy-session' },
    label: 'worker-2',
    name: 'import',
    semaphore: { prefix: 'import' },
  });
  expect(fetched).not.toHaveBeenCalled();
});

test('a text that begins with a verb selects the action, and one that names a lock selects the lock', async () => {
  await open('resize import');
  expect(options()[0]).toBe('Resize import…');
  cleanup();
  await open('import');
  expect(options()[0]).toMatch(/importsemaphore$/);
});

test('an action that may not start is not offered', async () => {
  await open('evict worker-2', { code: 'read-only-mode', facts: {} });
  expect(screen.queryByRole('option', { name: /Evict/ })).toBeNull();
});

test('a result says its severity and the worst verdict in it', async () => {
  await open('import');
  expect(options()[0]).toBe('▲urgent: suspectimportsemaphore');
  expect(screen.getAllByRole('img', { name: 'suspect' }).length).toBeGreaterThan(0);
});
