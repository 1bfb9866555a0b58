// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, idOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { SessionView } from '@/components/sessions/session-view';
import { LockView } from '@/components/subject/lock-view';
import { SemaphoreView } from '@/components/subject/semaphore-view';

afterEach(cleanup);

const world = snapshotOf({
  locks: [
    lockOf('service/billing/leader', { holder: holderOf(7) }),
    lockOf('svc/solo/.lock', { holder: holderOf(8) }),
    lockOf('both'),
  ],
  semaphores: [semaphoreOf('semaphore/mg-init'), semaphoreOf('both')],
  sessions: [sessionOf(7)],
});

/** The words of the page, and the pages of subjects that it links to. */
function page(kind: 'lock' | 'semaphore' | 'session', name: string) {
  const { container } = render(
    <Live view={liveViewOf(world)}>
      {kind === 'lock' ? (
        <LockView name={name} canAsk={false} />
      ) : kind === 'semaphore' ? (
        <SemaphoreView prefix={name} />
      ) : (
        <SessionView id={name} />
      )}
    </Live>,
  );
  const links = [...container.querySelectorAll('a')].map((a) =>
    decodeURIComponent(a.getAttribute('href') ?? ''),
  );
  return {
    words: container.textContent ?? '',
    links: links.filter((href) => /^\/(lock|semaphore|session)\?/.test(href)),
  };
}

test.each([
  ['lock', 'semaphore/mg-init', '/semaphore?prefix=semaphore/mg-init'],
  ['lock', 'semaphore/mg-init/.lock', '/semaphore?prefix=semaphore/mg-init'],
  ['lock', `semaphore/mg-init/${idOf(9)}`, '/semaphore?prefix=semaphore/mg-init'],
  ['lock', 'svc/solo', '/lock?key=svc/solo/.lock'],
  ['lock', '/service/billing/leader/', '/lock?key=service/billing/leader'],
  ['lock', 'Service/Billing/Leader', '/lock?key=service/billing/leader'],
  ['semaphore', 'service/billing/leader', '/lock?key=service/billing/leader'],
  ['semaphore', 'semaphore/mg-init/', '/semaphore?prefix=semaphore/mg-init'],
  ['semaphore', 'svc/solo', '/lock?key=svc/solo/.lock'],
  ['session', idOf(7).slice(0, 13), `/session?id=${idOf(7)}`],
  ['session', `${idOf(7).slice(0, 4)}…${idOf(7).slice(-4)}`, `/session?id=${idOf(7)}`],
] as const)('the page of the %s %s leads to what is in view under nearly that name', (kind, name, href) => {
  const { words, links } = page(kind, name);
  expect(links).toEqual([href]);
  expect(words).toContain('Signalbox cannot see this');
  expect(words).not.toMatch(/deleted|ended|outside/);
});

test('where a lock and a semaphore have nearly that name, both are offered', () => {
  expect(page('lock', 'both/').links).toEqual(['/semaphore?prefix=both', '/lock?key=both']);
});

test.each([
  ['lock', 'semaphore', /was deleted, its session ended, it lies outside .*, or this credential/],
  ['semaphore', 'semaphore/mg', /was deleted, its sessions ended, it lies outside .*, or this credential/],
  [
    'session',
    idOf(99),
    /^Signalbox cannot see this session\..*It ended, which leaves no trace in Consul, or this credential/,
  ],
  ['session', 'x', /It ended, .*, or this credential/],
] as const)(
  'a %s of which nothing like it is in view says what may be the cause for its kind',
  (kind, name, because) => {
    const { words, links } = page(kind, name);
    expect(links).toEqual([]);
    expect(words).toMatch(because);
  },
);

test.each([
  ['lock', '/lock?key='],
  ['semaphore', '/semaphore?prefix='],
  ['session', '/session?id='],
] as const)(
  'the address of a %s that names none says what it needs, and nothing of what may have gone',
  (kind, address) => {
    const { words } = page(kind, '');
    expect(words).toContain(address);
    expect(words).not.toMatch(/deleted|ended/);
  },
);
