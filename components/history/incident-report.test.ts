import { expect, test } from 'vitest';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { Hold } from '@/lib/domain/history/episode';
import { languages } from '@/lib/i18n/messages';
import { incidentReport } from './incident-report';

const subject = { source: 'consul', kind: 'lock', key: 'jobs/`x`' } as const;
const deed = { seq: 1, by: 'ana', type: 'lock.release', reason: 'see @all', atMs: 60_000 };
const hold: Hold = {
  id: 'h',
  subject,
  who: { id: 'w', label: 'worker-7', name: null, node: null },
  mode: null,
  from: { atMs: 0, basis: 'observed' },
  to: { atMs: 60_000, basis: 'observed' },
  end: 'evicted-here',
  deed,
  verdicts: [],
  waitersMax: null,
  delayMs: null,
  token: null,
};
const answer: HistoryAnswer = {
  from: 0,
  to: 120_000,
  keptSinceMs: null,
  awaySinceMs: null,
  off: false,
  episodes: [hold],
  waits: [],
  findings: [],
  limits: [],
  gaps: [{ id: 'g', source: 'consul', fromMs: 70_000, toMs: null, why: 'outage' }],
  hours: [],
  more: false,
  folded: false,
};

test('a report says who held what, who removed it and why, and when nobody looked; no name becomes a mention', () => {
  const told = { answer, prefix: 'jobs/', zone: 'UTC', link: 'http://box/history?from=0&to=120000' };
  const text = incidentReport(told, languages.en);
  expect(text).toContain('1970-01-01 00:01:00 `` jobs/`x` ``: release a lock, ana: see @\u200ball');
  expect(text).toContain('`worker-7` held 1\u00a0min, removed from Signalbox');
  expect(text).toContain('1970-01-01 00:01:10 – goes on: not watched: outage');
  expect(text).toContain('<http://box/history?from=0&to=120000>');
  expect(incidentReport(told, languages.zh)).not.toMatch(/goes on|held|Not watched/);
});

test('a report says what cleared a finding, when it became worse, the lock-delay that followed and the fencing token', () => {
  const moment = (atMs: number) => ({ atMs, basis: 'observed' }) as const;
  const finding = {
    id: 'f',
    code: 'overdue-holder' as const,
    subject,
    from: moment(0),
    to: moment(60_000),
    severities: [
      { severity: 'warning' as const, atMs: 0 },
      { severity: 'urgent' as const, atMs: 30_000 },
    ],
    cleared: 'action' as const,
    deed,
  };
  const episodes = [{ ...hold, delayMs: 15_000, token: '7' }];
  const told = { answer: { ...answer, episodes, findings: [finding] }, prefix: '', zone: 'UTC', link: 'x' };
  const text = incidentReport(told, languages.en);
  expect(text).toMatch(/cleared by an action of Signalbox, ana.*; urgent from 1970-01-01 00:00:30/);
  expect(text).toMatch(/a lock-delay of 15\ss followed; fencing token 7/);
});

test('a long report keeps its end and says how much it leaves out', () => {
  const episodes = Array.from({ length: 130 }, (_, i) => ({
    ...hold,
    id: `${i}`,
    who: { ...hold.who, label: `w${i}` },
  }));
  const text = incidentReport(
    { answer: { ...answer, episodes }, prefix: '', zone: 'UTC', link: 'x' },
    languages.en,
  );
  expect(text).toContain('30 older ones are left out');
  expect(text).not.toContain('`w29`');
  expect(text).toContain('`w129`');
});

test('no report says that nothing was held where holds are only counted', () => {
  const hour = { subject, hourMs: 0, holds: 1_200, heldMs: 1, holdP50Ms: 1, holdP95Ms: 1, holdMaxMs: 1 };
  const none = { waits: 0, waitP50Ms: null, waitP95Ms: null, waitMaxMs: null, lost: 0 };
  const told = { prefix: '', zone: 'UTC', link: 'x' };
  const empty = { ...answer, episodes: [] };
  const { none: nothing, folded } = languages.en.history;
  expect(incidentReport({ ...told, answer: empty }, languages.en)).toContain(nothing);
  const text = incidentReport({ ...told, answer: { ...empty, hours: [{ ...hour, ...none }] } }, languages.en);
  expect(text).toContain(folded('1,200'));
  expect(text).not.toContain(nothing);
});

test('where several sources are told of, each name and gap says whose it is', () => {
  const west = { ...hold, id: 'w', subject: { ...subject, source: 'west' } };
  const told = { answer: { ...answer, episodes: [hold, west] }, prefix: '', zone: 'UTC', link: 'x' };
  const text = incidentReport(told, languages.en);
  expect(text).toContain('`` jobs/`x` `` [consul]: `worker-7` held');
  expect(text).toContain('`` jobs/`x` `` [west]: `worker-7` held');
  expect(text).toContain('not watched: outage [consul]');
});

test('what is stuck as the report is written comes first, and its names become no markup', () => {
  const stuck = [{ subject, text: '[x] has held it for 5 min.' }];
  const text = incidentReport({ answer, prefix: '', zone: 'UTC', link: 'x', stuck }, languages.en);
  expect(text).toContain('**Stuck now**\n- `` jobs/`x` ``: \\[x\\] has held it for 5 min.');
  expect(text.indexOf('Stuck now')).toBeLessThan(text.indexOf('Who held what'));
});
