/** Every layout as a real Consul stores it, and what we make of it. The fixtures are recorded by `test/record`. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Lock, Party, Semaphore, World } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { checkSchema, rowSchema, sessionSchema } from '@/lib/providers/consul/client/wire';
import { observe } from '@/lib/providers/consul/observed/sightings';
import { type ConsulView, recognise } from '@/lib/providers/consul/recognise/recognise';

const folder = new URL('./fixtures/', import.meta.url);

interface Fixture {
  readonly name: string;
  readonly about: string;
  readonly rows: readonly unknown[];
  readonly sessions: readonly unknown[];
  readonly checks: readonly unknown[];
  readonly nodes: readonly string[];
  readonly expect: {
    readonly locks: Readonly<Record<string, string>>;
    readonly semaphores: Readonly<Record<string, readonly string[]>>;
    readonly findings: readonly string[];
  };
}

const fixtures: readonly Fixture[] = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));

function viewOf(fixture: Fixture): ConsulView {
  const rows = fixture.rows.map((row) => rowSchema.parse(row));
  const sessions = fixture.sessions.map((session) => sessionSchema.parse(session));
  const sightings = observe(null, {
    rows,
    rowsIndexes: [],
    sessions,
    sessionsIndex: null,
    nowMs: 1_000,
    afterGap: true,
  });
  return {
    rows,
    roots: [''],
    sessions,
    // They were recorded without access control: an unlisted session has ended.
    ended: sightings.unlisted(),
    checks: fixture.checks.map((check) => checkSchema.parse(check)),
    sightings,
  };
}

const party = ({ label, verdict, expiry }: Party) =>
  `${label} (${verdict}, ends ${expiry.kind}${expiry.withinMs === null ? '' : ` ${expiry.withinMs} ms`})`;

const lockText = ({ layout, state, holder, details }: Lock) =>
  [
    `${layout}: ${state}`,
    ...(holder === null ? [] : [`by ${party(holder)} since ${holder.since?.basis} ${holder.since?.atMs}`]),
    ...details.map(({ name, value }) => `${name}=${value}`),
  ].join('; ');

const semaphoreText = (s: Semaphore) => [
  `${s.layout}: recorded ${s.recorded}, effective ${s.effective}, limit ${s.limit}`,
  ...s.holders.map((holder) => `holder ${party(holder)}`),
  ...s.waiters.map((waiter) => `waiter ${party(waiter)}`),
  ...s.leftovers.map((key) => `leftover ${key}`),
  ...s.problems.map(({ code, detail }) => `problem ${code}${detail === null ? '' : `: ${detail}`}`),
];

/** The world in the words of `expect`, so that a fixture reads like a description. */
const described = (world: World): Fixture['expect'] => ({
  locks: Object.fromEntries(world.locks.map((lock) => [lock.key, lockText(lock)])),
  semaphores: Object.fromEntries(world.semaphores.map((s) => [s.prefix, semaphoreText(s)])),
  findings: findingsOf(world).map(({ id, severity }) => `${severity}: ${id}`),
});

test.each(fixtures)('$name: $about', (fixture) => {
  expect(described(recognise(viewOf(fixture)))).toEqual(fixture.expect);
});

describe('absence from the view proves nothing', () => {
  test.each(fixtures)('$name without its sessions: no holder is judged by their absence', (fixture) => {
    const world = recognise({ ...viewOf(fixture), sessions: null, ended: new Set(), checks: null });
    for (const holder of [
      ...world.locks.flatMap((lock) => lock.holder ?? []),
      ...world.semaphores.flatMap((s) => s.holders),
    ])
      expect(['unknown', 'ghost']).toContain(holder.verdict);
  });

  test.each(fixtures)('$name seen in part: no holder is a ghost', (fixture) => {
    const world = recognise({ ...viewOf(fixture), roots: ['somewhere/else'] });
    for (const { holders, effective } of world.semaphores) {
      expect(holders.map((holder) => holder.verdict)).not.toContain('ghost');
      expect(effective).toBeNull();
    }
  });
});

test('a node whose check is critical makes its sessions suspect, and one that cannot be seen leaves them unknown', () => {
  const fixture = fixtures.find(({ name }) => name === 'consul-lock-n2');
  if (fixture === undefined) throw new Error('The fixture is missing.');
  const view = viewOf(fixture);
  const verdicts = (change: Partial<ConsulView>) =>
    new Set(recognise({ ...view, ...change }).semaphores.flatMap((s) => s.holders.map((h) => h.verdict)));
  const critical = (view.checks ?? []).map((check) => ({ ...check, status: 'critical' }));
  expect(verdicts({ checks: critical })).toEqual(new Set(['suspect']));
  // Consul ends a node's sessions with the node, so one that is missing is one that may not be seen.
  expect(verdicts({ checks: [] })).toEqual(new Set(['unknown']));
  expect(verdicts({ checks: null })).toEqual(new Set(['unknown']));
});

// With RECORD=1 a fixture that has no expectation yet gets one to be read and corrected by hand.
if (process.env.RECORD === '1') {
  const { writeFileSync } = await import('node:fs');
  for (const fixture of fixtures)
    if (fixture.expect === null)
      writeFileSync(
        new URL(`${fixture.name}.json`, folder),
        `${JSON.stringify({ ...fixture, expect: described(recognise(viewOf(fixture))) }, null, 2)}\n`,
      );
}
