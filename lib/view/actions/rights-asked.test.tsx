import { expect, test } from 'vitest';
import { holderOf, idOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import type { KnownRight } from '@/lib/client/rights';
import type { Action } from '@/lib/domain/actions/action';
import type { Needed, Right } from '@/lib/domain/identity';
import { en, languages } from '@/lib/i18n/messages';
import { bestOf, deniedReason, openingWay, rightsAsked, wordOf } from './rights-asked';

const world = snapshotOf({
  locks: [lockOf('a/leader', { holder: holderOf(1) })],
  semaphores: [semaphoreOf('s', { holders: [holderOf(2)] })],
  sessions: [sessionOf(1), sessionOf(2)],
});
const release: Action = { type: 'lock.release', source: 'consul', key: 'a/leader', how: 'destroy-session' };

const known = (said: Right | 'asking' | null, ...needs: Needed[]): KnownRight =>
  said === null || said === 'asking' ? said : { right: said, needs };
type Words = readonly (Right | 'asking' | null)[];
const best = (...said: Words) => wordOf(bestOf(said.map((one) => known(one))));
const opening = (action: Action, said: Words) =>
  openingWay(
    action,
    world,
    said.map((one) => known(one)),
  );

test('a button with two ways asks for both, and one that may be gone is enough', () => {
  expect(rightsAsked(release, world).map(({ action }) => 'how' in action && action.how)).toEqual([
    'destroy-session',
    'hand-over',
  ]);
  expect(rightsAsked({ ...release, how: 'hand-over' }, world)).toHaveLength(1);
  expect(best('no', 'yes')).toBe('yes');
  expect(best('no', 'unknown')).toBe('unknown');
  expect(best('no', 'no')).toBe('no');
  expect(best('no', 'asking')).toBe('asking');
});

test('a dialog opens with the way that was asked for, or with a gentler one where that alone is refused', () => {
  const over: Action = { ...release, how: 'hand-over' };
  expect(opening(release, ['no', 'yes'])).toEqual(over);
  expect(opening(release, ['no', 'unknown'])).toEqual(over);
  expect(opening(over, ['yes', 'no']), 'never with a harsher one').toEqual(over);
  // A missing answer is no denial, and where each is refused the asked one is named.
  for (const rights of [
    ['yes', 'yes'],
    ['unknown', 'yes'],
    ['asking', 'yes'],
    [null, null],
    ['no', 'no'],
    [],
  ] as const)
    expect(opening(release, rights)).toEqual(release);
  const remove: Action = { type: 'lock.delete', source: 'consul', key: 'a/leader' };
  expect(opening(remove, ['no'])).toEqual(remove);
});

test('an answer is for one holder on one node: another needs a new question', () => {
  const moved = { ...world, locks: [lockOf('a/leader', { holder: holderOf(2) })] };
  expect(rightsAsked(release, world)[0]?.stamp).not.toBe(rightsAsked(release, moved)[0]?.stamp);
});

test('a missing answer blocks nothing, a denial names the rules that it takes', () => {
  for (const right of ['yes', 'unknown', null] as const)
    expect(deniedReason(known(right), release, world, en)).toBeNull();
  for (const m of Object.values(languages)) {
    expect(deniedReason('asking', release, world, m)).toBe(m.identity.rights.asking);
    const ends = deniedReason(
      known('no', { code: 'end-session', facts: { node: 'node-1' } }),
      release,
      world,
      m,
    );
    expect(ends).toContain(`session:write`);
    expect(ends).toContain('node-1');
    // Chinese puts no blank between two words of its own.
    expect(ends).not.toMatch(/\p{Script=Han} \p{Script=Han}/u);
    expect(deniedReason(known('no'), release, world, m), 'of a server that names no rules').not.toMatch(
      /Consul/,
    );
    const resize: Action = { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 2 };
    const writes = known('no', { code: 'write-entry', facts: { key: 's/.lock' } });
    expect(deniedReason(writes, resize, world, m)).toContain('s/.lock');
  }
  const evict: Action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 's',
    sessionId: idOf(2),
    how: 'destroy-session',
  };
  const both = known(
    'no',
    { code: 'end-session', facts: { node: 'node-2' } },
    { code: 'write-folder', facts: { prefix: 's' } },
  );
  expect(deniedReason(both, evict, world, en)).toBe(
    'Your token may not do this. Consul requires session:write on the node node-2 and key:write under s/.',
  );
});

test('for a lock that Consul does not write, handing over says why not, at any rights; ending its session does not', () => {
  const refused = snapshotOf({ locks: [lockOf('a/leader', { holder: holderOf(1), unwritable: true })] });
  const over: Action = { ...release, how: 'hand-over' };
  for (const m of Object.values(languages))
    for (const right of ['yes', 'asking', 'no'] as const)
      expect(deniedReason(known(right), over, refused, m)).toBe(m.why['key-refused']({}));
  expect(deniedReason(known('yes'), release, refused, en)).toBeNull();
});
