import { expect, test } from 'vitest';
import { worded } from '@/lib/i18n/format/worded';
import { languages } from '@/lib/i18n/messages';
import { en } from './messages';

/** Sentences that take hidden clients for none. */
const nobody = /(no session|nobody) waits|(没有人|无人|没有会话)等待/i;
const unseen = /there may be waiters that you may not see|无权看到的等待者/i;

/** Everything that a plan says of so many who wait; `null`: they cannot be counted. */
function said(waiters: number | null, { plan }: Pick<typeof en, 'plan'>): readonly string[] {
  const first = waiters === null || waiters === 0 ? null : 'worker-1';
  return [
    waiters === null
      ? worded({ code: 'next-holder-unseen', facts: {} }, plan.warnings)
      : worded({ code: 'next-holder', facts: { waiters, first } }, plan.warnings),
    worded({ code: 'waiters-fail', facts: { waiters, limit: 3 } }, plan.warnings),
    worded({ code: 'slot-to-waiters', facts: { waiters, first } }, plan.touched),
    worded({ code: 'record-stays', facts: { waiters } }, plan.touched),
  ];
}

test.each([
  ['English', en],
  ['Chinese', languages.zh],
])('of waiters that cannot be counted no sentence of a plan says that there are none: %s', (_, words) => {
  for (const sentence of said(null, words)) {
    expect(sentence).toMatch(unseen);
    expect(sentence).not.toMatch(nobody);
  }
  for (const n of [0, 1, 2]) expect(said(n, words).join()).not.toMatch(unseen);
  expect(said(0, words).join()).toMatch(nobody);
});
