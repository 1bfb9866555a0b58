import { expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import { holder, lock, session } from '@/lib/domain/fixture/world';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createDiscreet } from '@/lib/server/process/scrub';
import { filed, keptWhom, outcomeDetail, seenDetail, subjectIds, whomDetail } from './detail';

const unchanged = createDiscreet([]);
const token = 'c0ffee00-0000-4000-8000-00000000beef';
const named = (name: string, label: string | null = name) => ({
  session: 's1',
  label,
  name,
  node: 'n1',
  verdict: null,
});
const lockName = (command: string) => `Consul lock for '${command}' at 'locks/backup'`;

const jwt = `eyJhbGciOiJSUzI1NiJ9.${'eyJzdWIiOiJ3b3JrZXIifQ'.repeat(4)}.c2lnbmF0dXJl`;
const commands = [
  [
    'a password, whose @ stands past what is kept',
    'S3cr3t',
    'backup --to postgres://backup:S3cr3t-Passw0rd-of-the-db@db/x',
  ],
  [
    'the same in the first word',
    'S3cr3t',
    'DB=postgres://backup:S3cr3t-Passw0rd-of-the-database-in-the-cellar@db/x run',
  ],
  ['a signed token, whose second dot stands there', 'eyJ', `run --now ${jwt} --twice`],
  ['the token of whoever acts', token.slice(0, 8), `backup --every 6h --with ${token} --to the-other-side`],
  ['what is behind a word', 'S3cr3t', `curl --silent --fail https://example/x -H 'bearer S3cr3t-Passw0rd'`],
  ['a password in a name of thousands of characters', 'S3cr3t', `db://me:S3cr3t${'x'.repeat(5_000)}@db`],
] as const;

test.each(commands)('no half of a secret is kept of a name: %s', (_, secret, command) => {
  const discreet = createDiscreet([token]);
  const name = lockName(command);
  // As in a view that labels a holder by its command: already cut, anywhere.
  for (const whole of [command, name])
    for (let cut = 8; cut <= 64; cut += 1) {
      const kept = keptWhom(named(whole, command.slice(0, cut)), discreet);
      expect(JSON.stringify(kept)).not.toContain(secret);
      expect(kept.label?.length).toBeLessThanOrEqual(64);
    }
  expect(JSON.stringify(keptWhom(named(name), discreet))).not.toContain(secret);
});

test('a name without a secret is kept as it is, cut at 64 characters', () => {
  const two = 'worker-7 of the pool 1234…abcd';
  expect(keptWhom(named('worker-7 of the pool', two), unchanged)).toEqual(named('worker-7 of the pool', two));
  expect(keptWhom(named('x'.repeat(300)), unchanged)).toEqual(named('x'.repeat(64)));
  expect(keptWhom({ ...named('x'), label: null, name: null }, unchanged)).toMatchObject({
    label: null,
    name: null,
  });
  // The label stays where the secret stands behind it.
  const command = `backup --to the-other-side ${'of the house '.repeat(4)}`.slice(0, 64);
  expect(keptWhom(named(lockName(`${command} db://me:secret@db`), command), unchanged).label).toBe(command);
});

test('a name that was made to keep the server busy does not', () => {
  for (const name of ['eyJ-'.repeat(130_000), `cookie=${'\n'.repeat(500_000)}`])
    expect(keptWhom(named(name), unchanged).name?.length).toBeLessThanOrEqual(64);
});

test("a hit client is in the detail without the caller's token, and without half of it", () => {
  const name = `a worker of the pool that was started with ${token}`;
  const before = {
    source: { state: 'live' },
    locks: [
      lock({ key: 'k', holder: holder('s1', 'alive', { session: { name, node: 'n1' }, label: name }) }),
    ],
    semaphores: [],
    sessions: [session({ id: 's1', name })],
  } as unknown as Snapshot;
  const action = { type: 'lock.release', source: 'consul', key: 'k', how: 'hand-over' } as const;
  const expected = { entries: [], sessions: ['s1'] };
  const detail = whomDetail(action, expected, before, createDiscreet([token]));
  expect(detail).toMatchObject({ whom: [{ session: 's1', verdict: 'alive' }] });
  expect(JSON.stringify(detail)).not.toContain(token.slice(0, 8));
});

test('a row has a bound, however much an action names and a comparison says', () => {
  const prefixes = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(480, 'x'));
  const action: Action = { type: 'semaphore.prune', source: 'consul', prefixes };
  const { subjects, detail } = filed(subjectIds(action));
  expect(JSON.stringify(subjects).length).toBeLessThan(5_000);
  expect(subjects[0]).toBe(`semaphore:${prefixes[0]}`);
  expect(detail).toMatchObject({
    subjectsInAll: 500,
    subjectsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const entries = prefixes.map((prefix) => ({
    key: `${prefix}/.lock`,
    index: '1',
    session: null,
    seen: 'x'.repeat(4_096),
  }));
  const saw = seenDetail({ ...sawNothing, entries }, unchanged);
  expect(saw).toMatchObject({ saw: { entriesInAll: 500 } });
  const difference = [
    { code: 'ghosts-changed', facts: { before: 'x'.repeat(4_096), now: 'y'.repeat(4_096) } },
  ] as const;
  const problem = { code: 'stale', why: { code: 'changed-since', facts: {} }, difference } as const;
  const parts = prefixes.map((prefix) => ({
    subject: { source: 'consul', kind: 'semaphore', prefix } as const,
    done: false,
    problem,
    detail: null,
  }));
  const came = outcomeDetail({ done: false, freed: [], after: null, warnings: [], parts });
  expect(came).toMatchObject({ partsInAll: 500 });
  for (const one of [saw, came]) expect(JSON.stringify(one).length).toBeLessThan(6_000);
});

test('the names of a usual action are kept whole', () => {
  const ids = Array.from({ length: 60 }, (_, i) => `semaphore:service/worker-pool-${i}`);
  expect(filed(ids)).toEqual({ subjects: ids, detail: {} });
});

test('the view that a person sends keeps no half of their token', () => {
  const seen = `${'x'.repeat(290)}${token}`;
  const saw = { ...sawNothing, entries: [{ key: 'k', index: '1', session: null, seen }] };
  expect(JSON.stringify(seenDetail(saw, createDiscreet([token])))).not.toContain(token.slice(0, 8));
});
