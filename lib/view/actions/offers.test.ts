import { expect, test } from 'vitest';
import {
  ghostFinding,
  holderOf,
  idOf,
  lockOf,
  semaphoreOf,
  sessionOf,
  snapshotOf,
} from '@/components/fixture/world';
import { languages } from '@/lib/i18n/messages';
import { offersFor } from './offers';

const { en, zh } = languages;
const world = snapshotOf({
  semaphores: [
    semaphoreOf('import', { holders: [holderOf(1), holderOf(2, 'suspect')] }),
    semaphoreOf('leaky', { holders: [holderOf(3), holderOf(8, 'ghost')] }),
  ],
  locks: [lockOf('leader', { holder: holderOf(4) }), lockOf('old', { state: 'free', holder: null })],
  sessions: [sessionOf(4)],
});
const texts = (text: string, snapshot = world) => offersFor(text, snapshot, en).map((offer) => offer.text);

test('an action is offered by its verb, its party, its place and its session, in any order', () => {
  expect(texts('evict worker-2')).toEqual(['Evict worker-2 from import']);
  expect(texts('worker-2 evict')).toEqual(['Evict worker-2 from import']);
  expect(texts('import')).toEqual([
    'Evict worker-1 from import',
    'Evict worker-2 from import',
    'Resize import',
  ]);
  expect(texts('release leader')).toEqual(['Release leader from worker-4']);
  expect(texts(`evict ${idOf(2)}`)).toEqual(['Evict worker-2 from import']);
  expect(texts(idOf(4))).toEqual(['Destroy session worker-4']);
  expect(texts('delete')).toEqual(['Delete lock old']);
  expect(texts('  ')).toEqual([]);
});

test('a lock without a session is released, in the words of its button', () => {
  const fair = lockOf('fair', { holder: holderOf(5), layout: 'redisson-fair' });
  expect(texts('release fair', snapshotOf({ locks: [fair] }))).toEqual(['Release fair from worker-5']);
});

test('those who sleep are woken beside a lock that is free or shared, and not beside a writer', () => {
  const layout = 'redisson-read-write' as const;
  const shared = (name: string, mode: 'read' | 'write') =>
    lockOf(name, { layout, holder: { ...holderOf(5), mode } });
  const locks = [
    lockOf('idle', { layout, state: 'free', holder: null }),
    shared('read', 'read'),
    shared('written', 'write'),
  ];
  expect(texts('wake', snapshotOf({ locks }))).toEqual([
    'Wake those who wait for idle',
    'Wake those who wait for read',
  ]);
});

test('a text that begins with the verb asks for the action, and one that names a lock does not', () => {
  const byVerb = (text: string) => offersFor(text, world, en).map((offer) => offer.byVerb);
  expect(byVerb('evict worker-2')).toEqual([true]);
  expect(byVerb('worker-2')).toEqual([false]);
  expect(byVerb('lock')).toEqual([false]);
});

test('each offer carries the verdict on the party that it hits', () => {
  expect(offersFor('worker-2', world, en)[0]?.lamp).toBe('suspect');
  expect(offersFor('prune', world, en)).toMatchObject([
    { lamp: 'ghost', action: { type: 'semaphore.prune', prefixes: ['leaky'] } },
  ]);
});

test('the most urgent subjects come first, and only a few are looked for', () => {
  const many = snapshotOf({
    semaphores: Array.from({ length: 20 }, (_, n) => semaphoreOf(`s${String(n).padStart(2, '0')}`)),
    findings: [ghostFinding('s17')],
  });
  expect(texts('resize', many)).toHaveLength(8);
  expect(texts('resize', many)[0]).toBe('Resize s17');
});

test('the words are those of the reader’s language', () => {
  const [offer] = offersFor(zh.action.titles['semaphore.resize']('', 'import'), world, zh);
  expect(offer?.action).toEqual({ type: 'semaphore.resize', source: 'consul', prefix: 'import', limit: 1 });
});
