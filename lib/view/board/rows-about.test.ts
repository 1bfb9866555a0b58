import { expect, test } from 'vitest';
import { holderOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import type { Subject } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { rowsAbout } from './rows-about';

const holder = holderOf(7, 'suspect');
const patroni = (member: number, key = `service/db/members/pg${member}`) =>
  lockOf(key, { layout: 'patroni-member', holder: holderOf(member) });
const rows = {
  locks: [
    ...Array.from({ length: 900 }, (_, i) => lockOf(`jobs/lock-${String(i).padStart(3, '0')}`)),
    lockOf('jobs/nightly', { state: 'held', holder }),
    lockOf('service/db/leader', { layout: 'patroni-leader', holder: holderOf(1) }),
    patroni(1),
    patroni(2),
  ],
  semaphores: [semaphoreOf('pools/a', { holders: [holderOf(3)] }), semaphoreOf('pools/b')],
  sessions: Array.from({ length: 40 }, (_, i) =>
    sessionOf(i, i === 7 ? { holds: [{ source: 'consul', kind: 'lock', key: 'jobs/nightly' }] } : {}),
  ),
};
const whole = { ...snapshotOf(rows), findings: findingsOf(rows) };
const namesIn = (subject: Subject) => {
  const { locks, semaphores, sessions } = rowsAbout(whole, subject);
  return [
    ...locks.map(({ key }) => key),
    ...semaphores.map(({ prefix }) => prefix),
    ...sessions.map(({ id }) => id),
  ];
};
const idOf = (n: number) => sessionOf(n).id;

test('a lock comes with the session that holds it and its own findings', () => {
  expect(namesIn({ source: 'consul', kind: 'lock', key: 'jobs/nightly' })).toEqual(['jobs/nightly', idOf(7)]);
  const { findings } = rowsAbout(whole, { source: 'consul', kind: 'lock', key: 'jobs/nightly' });
  expect(findings.map(({ code }) => code)).toContain('suspect-holder');
  expect(findings.length).toBeLessThan(whole.findings.length + 1);
  for (const { subject } of findings)
    expect(subject).toEqual({ source: 'consul', kind: 'lock', key: 'jobs/nightly' });
});

test('a leader comes with who could take over from it', () => {
  const { locks } = rowsAbout(whole, { source: 'consul', kind: 'lock', key: 'service/db/leader' });
  expect(locks.map(({ key }) => key)).toEqual(['service/db/leader', 'service/db/members/pg2']);
});

test('a semaphore comes with the sessions of its holders', () => {
  expect(namesIn({ source: 'consul', kind: 'semaphore', prefix: 'pools/a' })).toEqual(['pools/a', idOf(3)]);
});

test('a session comes with what it holds', () => {
  expect(namesIn({ source: 'consul', kind: 'session', id: idOf(7) })).toEqual(['jobs/nightly', idOf(7)]);
});

test('of what is not there comes what is called nearly the same', () => {
  expect(namesIn({ source: 'consul', kind: 'lock', key: 'pools/a' })).toEqual(['pools/a', idOf(3)]);
  expect(namesIn({ source: 'consul', kind: 'semaphore', prefix: 'none/such' })).toEqual([]);
});
