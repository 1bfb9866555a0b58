import { expect, test } from 'vitest';
import type { FindingEpisode, Moment } from '@/lib/domain/history/episode';
import { holdOf, observed } from '@/lib/domain/history/fixture/episodes';
import { languages } from '@/lib/i18n/messages';
import { clearedText, lastedText, wholeEndText } from './end-text';

test('a beginning before the first look and an end before the next one are both at or before the time that is shown', () => {
  for (const { history } of [languages.en, languages.zh])
    expect([history.basis['at-least'], history.basis['at-most'], history.basis.observed]).toEqual([
      '≤ ',
      '≤ ',
      '',
    ]);
});

test('a length is a lower bound where the beginning was missed, an upper one where the end was, and unknown where both', () => {
  const lasted = (from: Moment['basis'], to: Moment['basis'] | null) =>
    lastedText(
      { from: { atMs: 0, basis: from }, to: to === null ? null : { atMs: 60_000, basis: to } },
      120_000,
      languages.en,
    ).replaceAll('\u00a0', ' ');
  expect(lasted('observed', 'observed')).toBe('1 min');
  expect(lasted('value', null)).toBe('2 min');
  expect(lasted('at-least', 'observed')).toBe('≥ 1 min');
  expect(lasted('at-least', null)).toBe('≥ 2 min');
  expect(lasted('observed', 'at-most')).toBe('≤ 1 min');
  expect(lasted('at-least', 'at-most')).toBe('for an unknown time');
});

test('the end of a hold is told with the lock-delay that followed and its fencing token, where they were seen', () => {
  const lost = holdOf(0, 1_000, { end: 'session-ended', delayMs: 15_000, token: '7' });
  expect(wholeEndText(lost, languages.en).replaceAll('\u00a0', ' ')).toBe(
    'session ended; a lock-delay of 15 s followed; fencing token 7',
  );
  expect(wholeEndText(holdOf(0, 1_000), languages.en)).toBe('released');
  expect(wholeEndText(lost, languages.zh)).not.toMatch(/[a-z]{4}/);
});

test('a finding says what cleared it, and by whom, and nothing of it while it is open', () => {
  const open: FindingEpisode = {
    id: 'f',
    code: 'overdue-holder',
    subject: { source: 'consul', kind: 'lock', key: 'k' },
    from: observed(0),
    to: null,
    severities: [],
    cleared: null,
    deed: null,
  };
  const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'it hangs', atMs: 1_000 };
  const { short } = languages.en.findings['overdue-holder'];
  expect(clearedText(open, languages.en)).toBe(short);
  expect(clearedText({ ...open, to: observed(1_000), cleared: 'time' }, languages.en)).toContain(
    `${short}; cleared by time`,
  );
  expect(clearedText({ ...open, to: observed(1_000), cleared: 'action', deed }, languages.en)).toBe(
    `${short}; cleared by an action of Signalbox, ana: it hangs`,
  );
});
