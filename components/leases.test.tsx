// @vitest-environment happy-dom
/** Locks and semaphores of backends without sessions, wherever they are shown: what is said of them, and what is offered. */
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { ActionProvider } from '@/components/actions/action-provider';
import { EmbedSubject } from '@/components/embed/subject';
import { ClockProvider } from '@/components/live/clock';
import { SlotMeter } from '@/components/marks/slots';
import { LockView } from '@/components/subject/lock-view';
import { SemaphoreView } from '@/components/subject/semaphore-view';
import { countedLock, countedSemaphore, fairLock, holder, lease, waiter } from '@/lib/domain/fixture/world';
import type { Holder, Lock, Semaphore } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { en, languages } from '@/lib/i18n/messages';
import { lockSentence, semaphoreSentence } from '@/lib/i18n/sentences';
import { offersFor } from '@/lib/view/actions/offers';
import { lockLines, lockText, semaphoreText } from '@/packages/cli/board.mjs';
import { markdownText } from './copy/markdown';
import { Live, liveViewOf } from './fixture/live';
import { nowMs, snapshotOf } from './fixture/world';

afterEach(cleanup);

const byLease = (id: string, over: Partial<Holder> = {}) =>
  holder(id, 'alive', { session: null, expiry: { ...lease, latestMs: nowMs + 30_000 }, ...over });
const readers = countedLock({
  layout: 'redisson-read-write',
  holder: byLease('a', { mode: 'read', count: 3 }),
  readers: [byLease('b', { mode: 'read' })],
  waitingClients: 2,
});
const deadHead = fairLock([waiter('dead', { verdict: 'ghost' }), waiter('live')], {
  state: 'free',
  holder: null,
});
const permits = countedSemaphore({
  layout: 'redisson-semaphore',
  available: 3,
  limit: null,
  recorded: null,
  effective: null,
  holders: [],
  waitingClients: 0,
});

function worldOf(of: Lock | Semaphore) {
  const locks = of.kind === 'lock' ? [of] : [];
  const semaphores = of.kind === 'semaphore' ? [of] : [];
  const { source } = snapshotOf();
  const findings = findingsOf({ locks, semaphores, sessions: [] });
  return snapshotOf({ locks, semaphores, findings, source: { ...source, id: 'jobs', provider: 'redis' } });
}

function page(of: Lock | Semaphore): string {
  const { container } = render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(worldOf(of))}>
        <ActionProvider actionsOff={null}>
          {of.kind === 'lock' ? (
            <LockView name={of.key} source="jobs" canAsk={false} />
          ) : (
            <SemaphoreView prefix={of.prefix} source="jobs" />
          )}
        </ActionProvider>
      </Live>
    </ClockProvider>,
  );
  return (container.textContent ?? '').replaceAll('\u00a0', ' ');
}
const buttons = () =>
  screen.getAllByRole('button').map((one) => one.getAttribute('aria-label') ?? one.textContent);

describe('the page', () => {
  test('of several readers each has a release of its own, and what it has more than once is said', () => {
    const text = page(readers);
    expect(buttons().filter((name) => name?.startsWith('Release'))).toEqual(['Release a', 'Release b']);
    expect(text).toContain('3 times (re-entered)');
    expect(text).toContain('Two clients wait: counted, not named.');
    expect(text).toContain('Held by a and 1 more for reading.');
    for (const absent of [/session/i, /Consul/, /\bTTL\b/]) expect(text).not.toMatch(absent);
  });

  test('a dead place in a queue is marked as such, and its removal stands beside it and on its finding', () => {
    const text = page(deadHead);
    expect(text).toContain(
      'dead is first in the queue and seems to be gone or stuck. It is free, and nobody gets it.',
    );
    const row = screen.getByRole('button', { name: 'Remove… · dead' }).closest('tr');
    expect(within(row as HTMLElement).getByText('ghost')).toBeTruthy();
    expect(buttons()).toContain('Remove from the queue…');
  });

  test('free permits read as such, not as an unreadable record, and nobody is said to wait or not', () => {
    const text = page(permits);
    expect(text).toContain('Three permits are free. Who holds the others is not stored.');
    expect(text).toContain('No client is counted as waiting. One that polls leaves no trace.');
    for (const absent of [/unreadable/i, /No waiters/, /cannot read/]) expect(text).not.toMatch(absent);
    expect(buttons()).toContain('Return permits…');
    expect(buttons().filter((name) => /^(Evict|Prune|Delete)/.test(name ?? ''))).toEqual([]);
  });

  test('what is shown only says so in one line, and offers nothing', () => {
    for (const shown of [
      countedLock({ layout: 'redisson-faster-multi' }),
      fairLock([waiter('b')], { layout: 'zookeeper-other' }),
      countedSemaphore({ ...permits, layout: 'redisson-latch', available: 2 }),
    ]) {
      expect(page(shown)).toContain('Signalbox only shows this kind.');
      expect(
        buttons().filter((name) => /^(Release|Evict|Remove|Return|Resize|Wake|Ask|More)/.test(name ?? '')),
      ).toEqual([]);
      cleanup();
    }
  });

  test('a fencing token is called by its name', () => {
    expect(page(countedLock({ layout: 'redisson-fenced', lockIndex: '41' }))).toContain('fencing token41');
  });
});

test.each<[string, Semaphore, string]>([
  [
    'configured',
    countedSemaphore({ ...permits, limit: 10, limitBasis: 'configured' }),
    'The limit, 10, is configured here.',
  ],
  [
    'inferred',
    countedSemaphore({ limitBasis: 'inferred' }),
    '1 of 2 slots held. The limit, 2, is inferred: another client waits.',
  ],
  [
    'at least',
    countedSemaphore({ limit: 1, limitBasis: 'at-least' }),
    'One slot is held. The limit is 1 or more: it is not stored.',
  ],
  ['not stored', countedSemaphore({ limit: null }), 'One slot is held. The limit is not stored.'],
  [
    'expired',
    countedSemaphore({ holders: [byLease('a', { verdict: 'ghost' })] }),
    'One permit has expired and is not swept yet.',
  ],
])('on what a limit rests is said: %s', (_, of, text) => {
  expect(semaphoreSentence(of, { nowMs, zone: 'UTC' }, en)).toContain(text);
});

test('a count of none is never said to be nobody, nor an unknown one to be none', () => {
  for (const m of Object.values(languages))
    for (const waitingClients of [0, undefined]) {
      const counted = waitingClients === undefined ? {} : { waitingClients };
      const said = [
        lockSentence(countedLock(counted), { nowMs, zone: 'UTC' }, m),
        semaphoreSentence(countedSemaphore(counted), { nowMs, zone: 'UTC' }, m),
      ].join(' ');
      expect(said).not.toMatch(/nobody waits|no waiters|0 waiting|没有等待者/i);
    }
});

test('a share shows what is free and who reads, and says whom it cannot name', () => {
  const embed = (of: Lock | Semaphore) => {
    const { container } = render(
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <Live view={liveViewOf(worldOf(of))}>
          <EmbedSubject of={of} findings={[]} compact={false} />
        </Live>
      </ClockProvider>,
    );
    return container.textContent ?? '';
  };
  expect(embed(readers)).toMatch(/a.*reads.*b.*reads/);
  expect(embed(permits)).toContain('Who holds the others is not stored.');
  const unread = countedLock({ state: 'unknown', holder: null });
  expect(embed(unread)).not.toContain('No client holds it.');
  const hidden = { ...countedSemaphore(), layout: 'curator-semaphore', recorded: null, holders: [] } as const;
  expect(embed(hidden)).not.toContain('No client holds it.');
});

test('the column of slots draws free permits, and no slot that is not known', () => {
  const { container } = render(
    <Live view={liveViewOf(worldOf(permits))}>
      <ClockProvider first={{ nowMs, zone: 'UTC' }}>
        <SlotMeter of={permits} />
      </ClockProvider>
    </Live>,
  );
  expect(container.textContent).toContain('3 free');
  expect(container.textContent).not.toContain('?');
});

test('a copy for a channel names every reader, how often, and who is only counted', () => {
  const told = {
    findings: [],
    session: null,
    sourceTitle: null,
    source: worldOf(readers).source,
    nowMs,
    frozen: false,
    old: false,
  };
  const text = markdownText({ ...told, of: readers, zone: 'UTC', link: 'http://box/x' }, en);
  expect(text).toContain('`a` (alive) · reads · 3 times (re-entered)');
  expect(text).toContain('`b` (alive) · reads');
  expect(text).toContain('Two clients wait: counted, not named.');
  expect(text).not.toMatch(/session|Consul does not/);
});

test('a terminal says the same', () => {
  expect(lockText(readers)).toBe('held by a and 1 more for reading, alive, 2 waiting (counted)');
  expect(lockLines(readers).join('\n')).toMatch(/holders[\s\S]*its lease ends at .* unless renewed; 3 times/);
  expect(semaphoreText(permits)).toBe('3 free, holders not stored, 0 waiting (counted)');
  expect(semaphoreText(countedSemaphore({ limit: 1, limitBasis: 'at-least' }))).toBe(
    '1 slots held, limit 1 or more, waiting unknown',
  );
});

test('the palette offers what each kind can take, and nothing else', () => {
  const offers = (of: Lock | Semaphore, text: string) =>
    offersFor(text, worldOf(of), en).map((one) => one.text);
  expect(offers(deadHead, 'nightly')).toEqual([
    'Wake those who wait for job:nightly',
    'Remove dead from the queue of job:nightly',
    'Remove live from the queue of job:nightly',
  ]);
  expect(offers(permits, 'pool')).toEqual(['Return permits to pool:db', 'Resize pool:db']);
  expect(offers(countedLock({ layout: 'redisson-faster-multi' }), 'import')).toEqual([]);
});
