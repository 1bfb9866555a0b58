import { expect, test } from 'vitest';
import { full, holder, lock, session, waiter, world } from '@/lib/domain/fixture/world';
import type { Expiry, Lock, Semaphore, World } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { languages } from '@/lib/i18n/messages';
import { explanationLines, explanationOf, titleOfNow } from './explained';

const moment = { nowMs: 1_020_000, zone: 'UTC' };
const silent: Expiry = { kind: 'observed', withinMs: 30_000, latestMs: 1_050_000, lastRenewalMs: 990_000 };

function textOf(row: Lock | Semaphore, all: World, language: keyof typeof languages = 'en'): string {
  const m = languages[language];
  const explanation = explanationOf(row, findingsOf(all), all);
  if (explanation === null) throw new Error('not stuck');
  return explanationLines(explanation, titleOfNow(explanation.now, all, m), moment, m)
    .join(m.joint)
    .replaceAll('\u00a0', ' ');
}

test('a lock with a silent holder is explained in one paragraph: who, since when, its end, the action and its risk', () => {
  const row = lock({
    holder: holder('worker-7', 'overdue', { expiry: silent, since: { atMs: 0, basis: 'observed' } }),
  });
  const all = world({ locks: [row], sessions: [session({ id: 'worker-7', ttlMs: 15_000 })] });
  expect(textOf(row, all)).toBe(
    'worker-7 has held it for 17 min, since 00:00:00, and is probably dead. Who waits leaves no trace in the backend. ' +
      'If worker-7 stays silent, its session ends by 00:17:30. Consul then refuses the lock for 15 s, until 00:17:45 at the latest. ' +
      'To end it now: Release leader from worker-7. Split brain: node n1 is healthy; the process may still be working. Unless it notices before the next holder begins, both work at once. ' +
      'Consul then refuses the lock to everyone for 15 s. The old holder can notice before the next begins. ' +
      'Only its program decides whether the process notices; nothing informs it.',
  );
  expect(textOf(row, all, 'zh')).not.toMatch(/[a-z]{3,} (is|has|holds|ends)/);
});

test('leaked slots and one live holder: counts, who waits, and that a prune takes nothing from anybody', () => {
  const row = full(
    'pool',
    [holder('g', 'ghost'), holder('b', 'alive', { since: { atMs: 960_000, basis: 'at-least' } })],
    [waiter('c', { since: { atMs: 900_000, basis: 'observed' } }), waiter('d')],
  );
  const text = textOf(row, world({ semaphores: [row] }));
  expect(text).toContain('2 of 2 slots here are taken. One slot leaks: its session holds nothing here.');
  expect(text).toContain('b shows signs of life. It has held its slot for at least 1 min.');
  expect(text).toContain('Two clients wait, c for 2 min, since 00:15:00.');
  expect(text).toContain('To end it now: Prune 1 ghost from pool. No undo needed');
});
