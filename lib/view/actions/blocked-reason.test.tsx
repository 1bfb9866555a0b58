import { expect, test } from 'vitest';
import { en, languages } from '@/lib/i18n/messages';
import { blockedReason } from './blocked-reason';

const live = { permission: { allowed: true }, freshness: 'live', actionsOff: null } as const;

test('live data and a rule that allows: nothing stands in the way', () => {
  expect(blockedReason(live, en)).toBeNull();
});

test('a page that stands still starts nothing, and says so before anything about the data', () => {
  const frozen = { ...live, frozen: true, freshness: 'stale' } as const;
  expect(blockedReason(frozen, en)).toBe(en.action.blocked.frozen);
});

test('the server’s setting speaks before everything else, in the language of the page', () => {
  const off = { ...live, frozen: true, actionsOff: { code: 'actions-off', facts: {} } } as const;
  for (const m of Object.values(languages)) expect(blockedReason(off, m)).toBe(m.why['actions-off']({}));
});

test('a rule’s refusal is said with its facts', () => {
  const permission = { allowed: false, reason: { code: 'limit-already', facts: { limit: 3 } } } as const;
  expect(blockedReason({ ...live, permission }, en)).toBe('The limit is already 3.');
});

test('each outage keeps the actions back with its own reason, in the language of the page', () => {
  for (const m of Object.values(languages)) {
    const said = (outage: 'no-leader' | 'token-unknown') =>
      blockedReason({ ...live, freshness: 'down', outage }, m) ?? '';
    expect(said('no-leader')).toContain(m.outage.outages['no-leader'].title);
    expect(said('token-unknown')).toContain(m.outage.outages['token-unknown'].title);
    expect(said('no-leader')).toContain(m.action.blocked.until);
  }
});

test('a page that has lost Signalbox says that, after anything of Consul', () => {
  const lost = { ...live, freshness: 'lost', outage: 'no-leader' } as const;
  expect(blockedReason(lost, en)).toBe(en.action.blocked.lost);
});

test("the token's rights come last: a rule that forbids it to everyone is the better reason", () => {
  const permission = { allowed: false, reason: { code: 'nobody-holds', facts: {} } } as const;
  expect(blockedReason({ ...live, denied: 'not you' }, en)).toBe('not you');
  expect(blockedReason({ ...live, permission, denied: 'not you' }, en)).toBe(en.why['nobody-holds']({}));
});
