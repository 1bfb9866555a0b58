import { expect, test } from 'vitest';
import type { Asker } from '@/lib/server/http/limits';
import { createPlaces } from './stream-quota';

const from = (address: string): Asker => ({ identity: { kind: 'anonymous' }, address });
const byToken = (address: string): Asker => ({
  identity: { kind: 'token', id: 'team', name: 'team' },
  address,
});
const byProxy = (address: string): Asker => ({ identity: { kind: 'proxy', name: 'ann' }, address });

/** Takes places until there is none, at most `count`. Returns the functions that give them back. */
function fill(places: ReturnType<typeof createPlaces>, asker: (n: number) => Asker, count = 2_000) {
  const taken: (() => void)[] = [];
  while (taken.length < count && places.refusal(asker(taken.length)) === null)
    taken.push(places.take(asker(taken.length)));
  return taken;
}

test('one address takes half of the thousand streams of a credential at most, whatever token it sends', () => {
  const places = createPlaces();
  const taken = fill(places, (n) => (n % 2 === 0 ? from : byToken)('192.0.2.1'));
  expect(taken).toHaveLength(500);
  expect(places.refusal(from('192.0.2.1'))).toEqual({
    code: 'too-many-pages-of-address',
    facts: { max: 500 },
  });
  expect(places.refusal(byToken('192.0.2.2'))).toBeNull();
  taken[0]?.();
  expect(places.refusal(from('192.0.2.1'))).toBeNull();
});

test('a network of IPv6 is one address', () => {
  const places = createPlaces();
  fill(places, (n) => from(`2001:db8:1:2::${n.toString(16)}`));
  expect(places.refusal(from('2001:db8:1:2:ffff::1'))?.code).toBe('too-many-pages-of-address');
  expect(places.refusal(from('2001:db8:1:3::1'))).toBeNull();
});

test('a person named by a proxy has a share of their own, over all their addresses', () => {
  const places = createPlaces();
  expect(fill(places, (n) => byProxy(`198.51.100.${n % 250}`))).toHaveLength(100);
  expect(places.refusal(byProxy('203.0.113.1'))).toEqual({
    code: 'too-many-pages-of-person',
    facts: { max: 100 },
  });
  expect(places.refusal({ identity: { kind: 'proxy', name: 'ben' }, address: '198.51.100.1' })).toBeNull();
});

test('people who share one token are no single person', () => {
  const places = createPlaces();
  expect(fill(places, (n) => byToken(`198.51.100.${n % 250}`), 1_000)).toHaveLength(1_000);
});
