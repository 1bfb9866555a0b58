import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  holderOf,
  idOf,
  lockOf,
  semaphoreOf,
  sessionOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import { subjectId } from '@/lib/domain/model';
import { rowsOf } from '@/lib/view/board-rows';
import { find, searchRows } from './find';
import { isLiteral, search } from './match';
import { hayOf } from './search-index';

const value = (content: string) =>
  ({ encoding: 'text', content, bytes: content.length, truncated: false }) as const;

const world = snapshotOf({
  locks: [
    lockOf('cron/rotate', { holder: holderOf(7, 'immortal') }),
    lockOf('service/billing/leader', { holder: holderOf(21, 'alive', { value: value('owner=pod-abc12') }) }),
    lockOf('service/payments/leader', {
      holder: holderOf(22),
      value: value('{"ID":"a1","Who":"root@ci-4"}'),
    }),
    lockOf('tf/prod/network', { holder: holderOf(23) }),
    lockOf('reports/daily close', { holder: holderOf(24) }),
    lockOf('единица/лидер', { holder: holderOf(25) }),
    lockOf('worker', { state: 'free', holder: null }),
    lockOf('vault/core/lock', { holder: holderOf(26) }),
  ],
  semaphores: [
    semaphoreOf('semaphore/bank-gateway', {
      holders: [holderOf(1), holderOf(8, 'ghost')],
      waiters: [waiterOf(4), waiterOf(5)],
    }),
    semaphoreOf('semaphore/mg-init', { holders: [holderOf(9)], waiters: [waiterOf(6)] }),
  ],
  sessions: [
    sessionOf(7, { holds: [{ source: 'consul', kind: 'lock', key: 'cron/rotate' }] }),
    sessionOf(30, { name: 'idle-importer', node: 'node-9' }),
  ],
});
const rows = rowsOf(world);
const found = (text: string) => find(text, { rows, sessions: world.sessions });
const names = (text: string) => found(text).rows.map(({ of }) => of.name);
const first = (text: string) => names(text)[0] ?? null;
const opened = (text: string) => {
  const { target } = found(text);
  return target === null ? null : subjectId(target);
};
const short = (n: number, dots = '…') => `${idOf(n).slice(0, 4)}${dots}${idOf(n).slice(-4)}`;

describe('a pasted name is found first, and Enter opens it', () => {
  test.each([
    ['a key', 'service/billing/leader', 'lock:service/billing/leader'],
    ['a key in other case, with space around it', '  Service/Billing/LEADER ', 'lock:service/billing/leader'],
    ['a key in quotes', '"service/billing/leader"', 'lock:service/billing/leader'],
    ['the end of a key', 'rotate', 'lock:cron/rotate'],
    ['a key with a space', 'reports/daily close', 'lock:reports/daily close'],
    ['a prefix with its coordination entry', 'semaphore/mg-init/.lock', 'semaphore:semaphore/mg-init'],
    ['a prefix with a slash', '/semaphore/mg-init/', 'semaphore:semaphore/mg-init'],
    ['a contender’s own entry', `semaphore/mg-init/${idOf(6)}`, 'semaphore:semaphore/mg-init'],
    ['a URL-encoded key', 'service%2Fbilling%2Fleader', 'lock:service/billing/leader'],
    ['a URL-encoded key with a space', 'reports%2Fdaily%20close', 'lock:reports/daily close'],
    [
      'a URL of the API',
      'http://consul.example:8500/v1/kv/semaphore/mg-init/.lock?raw',
      'semaphore:semaphore/mg-init',
    ],
    [
      'a curl with a URL of the API',
      "curl -s 'http://127.0.0.1:8500/v1/kv/tf/prod/network?consistent' | jq .",
      'lock:tf/prod/network',
    ],
    [
      'a link to Consul’s own interface',
      'https://consul.example/ui/dc1/kv/service/billing/leader/edit',
      'lock:service/billing/leader',
    ],
    ['a link to this console', 'http://box/lock?key=reports%2Fdaily%20close', 'lock:reports/daily close'],
    ['a session id', idOf(7), 'lock:cron/rotate'],
    ['a session id in capitals', idOf(7).toUpperCase(), 'lock:cron/rotate'],
    ['a part of a session id', idOf(7).slice(0, 8), 'lock:cron/rotate'],
    ['an id as the page shortens it', short(7), 'lock:cron/rotate'],
    ['an id shortened with three dots', short(7, '...'), 'lock:cron/rotate'],
    ['an id of a waiter', idOf(5), 'semaphore:semaphore/bank-gateway'],
    ['the name of a waiter', 'worker-6', 'semaphore:semaphore/mg-init'],
    ['a stored value', 'root@ci-4', 'lock:service/payments/leader'],
    ['a value of a contender', 'pod-abc12', 'lock:service/billing/leader'],
    ['letters of another script', 'Единица/Лидер', 'lock:единица/лидер'],
    ['words in any order', 'leader billing', 'lock:service/billing/leader'],
    [
      'a log line with a session id',
      `2026-11-21T03:00:10Z [WARN] worker: lost lock session=${idOf(7)}`,
      'lock:cron/rotate',
    ],
    [
      'a log line with a shortened id',
      `03:00:10 WARN lost session ${short(7)}, will retry`,
      'lock:cron/rotate',
    ],
    [
      'a log line with a key',
      '2026-11-21 03:00:10,123 ERROR [pool-3] could not acquire lock "service/billing/leader": timeout',
      'lock:service/billing/leader',
    ],
    [
      'a log line with a key that has a space',
      'could not acquire reports/daily close within 30s',
      'lock:reports/daily close',
    ],
    [
      'a log line that calls its key by name',
      'level=error key=service/payments/leader msg=timeout',
      'lock:service/payments/leader',
    ],
    [
      'a JSON log line',
      '{"level":"warn","prefix":"semaphore/mg-init","waited":"31s"}',
      'semaphore:semaphore/mg-init',
    ],
    [
      'a log line with a key and the id of another holder',
      `lost service/billing/leader to ${idOf(22)}`,
      'lock:service/billing/leader',
    ],
    [
      'a sentence with the last part of a name',
      'job mg-init hangs since 02:58',
      'semaphore:semaphore/mg-init',
    ],
    ['a sentence with the name of a holder', 'is worker-23 still alive?', 'lock:tf/prod/network'],
    ['a name without its separators', 'bankgateway', 'semaphore:semaphore/bank-gateway'],
    ['a name with other separators', 'semaphore_bank_gateway', 'semaphore:semaphore/bank-gateway'],
    ['a wrong letter', 'bank-gatewey', 'semaphore:semaphore/bank-gateway'],
    ['swapped letters', 'bank-gatewya', 'semaphore:semaphore/bank-gateway'],
    ['a missing letter', 'service/biling/leader', 'lock:service/billing/leader'],
    ['a letter too many', 'service/billling/leader', 'lock:service/billing/leader'],
    ['a typo in a name without separators', 'bankgatway', 'semaphore:semaphore/bank-gateway'],
    [
      'a word that is too far off beside one that is right',
      'semafore/bank-gateway',
      'semaphore:semaphore/bank-gateway',
    ],
    [
      'a typo in a log line',
      'waiting for semaphore/bank-gatway since 31 s',
      'semaphore:semaphore/bank-gateway',
    ],
    ['the name of a session that holds nothing', 'idle-importer', `session:${idOf(30)}`],
    ['the id of a session that holds nothing', `gone? ${idOf(30)}`, `session:${idOf(30)}`],
  ])('%s', (_what, text, expected) => {
    expect(opened(text)).toBe(expected);
  });
});

test('a literal match comes before a similar one', () => {
  const near = snapshotOf({ locks: [lockOf('a/gatewaz'), lockOf('b/gateway'), lockOf('c/gatewaq')] });
  const hits = find('gateway', { rows: rowsOf(near), sessions: [] }).rows;
  expect(hits[0]?.of.name).toBe('b/gateway');
  expect(hits.slice(1).every((hit) => hit.closeness === 'like')).toBe(true);
});

test('a whole name comes before names that only begin with it, and Enter opens it', () => {
  const near = snapshotOf({ locks: [lockOf('a/b'), lockOf('a/b/c'), lockOf('x/a/b/d')] });
  const { rows: hits, target } = find('a/b', { rows: rowsOf(near), sessions: [] });
  expect(hits.map(({ of }) => of.name)).toEqual(['a/b', 'a/b/c', 'x/a/b/d']);
  expect(target).toEqual({ source: 'consul', kind: 'lock', key: 'a/b' });
});

test('where several are meant alike, Enter leads nowhere', () => {
  expect(names('leader').slice(0, 2).sort()).toEqual(['service/billing/leader', 'service/payments/leader']);
  expect(opened('leader')).toBeNull();
  expect(opened('')).toBeNull();
});

test('a session that holds several things is itself what its id means', () => {
  const holder = holderOf(3);
  const several = snapshotOf({
    locks: [lockOf('a', { holder }), lockOf('b', { holder })],
    sessions: [sessionOf(3)],
  });
  const { target } = find(idOf(3), { rows: rowsOf(several), sessions: several.sessions });
  expect(target).toEqual({ source: 'consul', kind: 'session', id: idOf(3) });
});

test('an unknown id finds nothing, rather than a similar one', () => {
  expect(names(`${idOf(7).slice(0, -1)}f`)).toEqual([]);
});

test('a word of a log line that happens to be a key does not hide what the line is about', () => {
  expect(first(`[WARN] worker: lost lock session=${idOf(7)}`)).toBe('cron/rotate');
});

test.each(['(', '[a', '\\', '*', '.…*', '…', '+?', '$…^', '-', '"', '%', '%zz', '%E0%A4%A', '/'])(
  'no text makes the search fail: %s',
  (text) => {
    expect(() => found(text)).not.toThrow();
  },
);

test('a whole page may be pasted by mistake', () => {
  expect(() => found('a'.repeat(100_000))).not.toThrow();
  expect(() => found('lost-lock service/x '.repeat(5_000))).not.toThrow();
  expect(() => found(`${'a'.repeat(100_000)} b "${'/'.repeat(1_000)}"`)).not.toThrow();
});

test('pieces of a shortened name are looked for in their order and within one field', () => {
  const literal = (text: string) =>
    found(text)
      .rows.filter(({ closeness }) => isLiteral(closeness))
      .map(({ of }) => of.name);
  expect(literal('servi…bil…der')).toEqual(['service/billing/leader']);
  expect(literal('owner…abc')).toEqual(['service/billing/leader']);
  expect(literal('bil…servi')).toEqual([]);
  expect(literal('billing…abc')).toEqual([]);
});

test('a search after a change finds the same as a new search', () => {
  const held = (n: number, label: string) => holderOf(n, 'alive', { label });
  const names = ['jobs/export', 'jobs/import', 'pay/ledger', 'pay/orders', 'report'];
  const owners = ['ledger-1', 'import-2', 'ordres', 'somebody'];
  const texts = ['import', 'ledgr', 'jobs', 'ordres', 'nothing like it', 'lock held by ledger-1 at report'];
  const lockAt = (name: string, owner: number) =>
    owner === 0
      ? lockOf(name, { state: 'free', holder: null })
      : lockOf(name, { holder: held(owner, owners[owner - 1] ?? '') });
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(names.length - 1), fc.nat(owners.length)), { minLength: 1, maxLength: 6 }),
      (text, changes) => {
        let locks = names.map((name) => lockAt(name, 0));
        searchRows(text, rowsOf(snapshotOf({ locks })));
        for (const [at, owner] of changes) {
          locks = locks.map((lock, i) => (i === at ? lockAt(lock.key, owner) : lock));
          const rows = rowsOf(snapshotOf({ locks }));
          expect(searchRows(text, rows)).toEqual(search(text, rows, (row) => hayOf(row.of)));
        }
      },
    ),
  );
});
