import { describe, expect, test } from 'vitest';
import { holder } from '@/lib/domain/fixture/world';
import type { Party, StoredValue } from './model';
import { hasReturned, isNamed } from './returned-client';

const idOf = (n: number) => `${n}0000000-0000-4000-8000-00000000000${n}`;
const text = (content: string): StoredValue => ({
  encoding: 'text',
  content,
  bytes: content.length,
  truncated: false,
});
const party = (n: number, over: Partial<Party> = {}): Party =>
  holder(idOf(n), 'alive', { session: { name: 'backup', node: 'n1' }, label: 'backup', ...over });
const around = (more: { sessions?: readonly string[]; beside?: readonly Party[] } = {}) => ({
  sessions: new Set([idOf(1), ...(more.sessions ?? [])]),
  beside: more.beside ?? [],
});

const onServer = {
  evidence: [{ code: 'server-node', source: 'catalog', detail: 'server-1', atMs: null }],
} as const satisfies Partial<Party>;
const api = { session: { name: 'Consul API Lock', node: 'n1' } };
const other = { session: { name: 'Consul API Lock', node: 'n2' } };

describe('returned with a new session', () => {
  test.each<readonly [string, Partial<Party>, Partial<Party>]>([
    [
      'the same name in the lock info, from any node',
      { ...api, label: 'root@vm' },
      { ...other, label: 'root@vm' },
    ],
    [
      'the same member in the value',
      { session: { name: 'db-pg1', node: 'n1' }, label: 'pg1', value: text('pg1') },
      { session: { name: 'db-pg1', node: 'n2' }, label: 'pg1', value: text('pg1') },
    ],
    ['the same name of the session, on the same node', {}, {}],
    ['and the same value', { value: text('host-a:4711') }, { value: text('host-a:4711') }],
  ])('%s', (_, before, now) => {
    expect(hasReturned(party(1, before), party(2, now), around())).toBe(true);
  });
});

describe('not known to have returned', () => {
  test.each<readonly [string, Partial<Party>, Partial<Party>]>([
    ['another name', { ...api, label: 'root@vm' }, { ...api, label: 'ann@vm' }],
    ['only a session id', { ...api, label: '1000…0001' }, { ...api, label: '2000…0002' }],
    ['the same name of the session on another node', {}, { session: { name: 'backup', node: 'n2' } }],
    ['the same name, and another value', { value: text('host-a:1') }, { value: text('host-b:1') }],
    ['the same name on a Consul server, which many clients ask', onServer, onServer],
    ['its session may not be read', { ...api, label: 'root@vm' }, { session: null, label: 'root@vm' }],
  ])('%s', (_, before, now) => {
    expect(hasReturned(party(1, before), party(2, now), around())).toBe(false);
  });

  test('a session that was there before has waited for its turn', () => {
    expect(hasReturned(party(1), party(2), around({ sessions: [idOf(2)] }))).toBe(false);
  });

  test('a name that several parties had identifies none of them', () => {
    expect(hasReturned(party(1), party(2), around({ beside: [party(1), party(3)] }))).toBe(false);
    expect(hasReturned(party(1), party(2), around({ beside: [party(1)] }))).toBe(true);
  });
});

test('a session id is no name', () => {
  expect(isNamed(party(1))).toBe(true);
  expect(isNamed(party(1, { label: '1000…0001' }))).toBe(false);
});
