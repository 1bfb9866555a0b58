import { expect, test } from 'vitest';
import { release } from '@/lib/domain/actions/lock';
import { fairLock, lock } from '@/lib/domain/fixture/world';
import { languages } from '@/lib/i18n/messages';
import { handsOver, titleOf, verbOf } from './button-words';

test('a lock is handed over where its session goes on, and released where there is none, in title and button', () => {
  const [bySession, byLease] = [lock({ key: 'k' }), fairLock([], { key: 'k' })];
  const said = (of: typeof bySession) => {
    const named = { label: 'worker', name: 'k', lock: of };
    return [languages.en, languages.zh].flatMap((m) => [
      titleOf(release(of, 'hand-over'), named, m),
      verbOf(release(of, 'hand-over'), named, m),
    ]);
  };
  expect(said(bySession)).toEqual(['Hand over k from worker', 'Hand over k', '从 worker 移交 k', '移交 k']);
  expect(said(byLease)).toEqual(['Release k from worker', 'Release k', '从 worker 释放 k', '释放 k']);
  expect([handsOver(release(byLease), byLease), handsOver(release(bySession), bySession)]).toEqual([
    false,
    false,
  ]);
});
