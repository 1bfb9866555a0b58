import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holderOf, idOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { rowsOf } from '@/lib/view/board-rows';
import { find, sessionsInstead, unseenNames } from './find';
import { patterns } from './named';

test('no pattern that reads a pasted text goes through it without a bound', () => {
  for (const [name, { source }] of Object.entries(patterns)) {
    const outsideOfClasses = source.replace(/\\./g, '.').replace(/\[[^\]]*\]/g, '.');
    expect(outsideOfClasses, name).not.toMatch(/[*+]|\{\d*,\}/);
  }
});

describe('a pasted line that names its key', () => {
  const shards = snapshotOf({
    locks: [lockOf('orders/shard-1/lock'), lockOf('orders/shard-2/lock'), lockOf('Pay/Ledger')],
    semaphores: [semaphoreOf('semaphore/mg-init')],
    sessions: [sessionOf(1, { name: 'worker' })],
  });
  const all = rowsOf(shards);
  const asked = (text: string) => find(text, { rows: all, sessions: shards.sessions });

  test.each([
    [
      'quoted',
      'ERROR worker: timeout waiting for lock "Payments/settle/lock" after 300s',
      'Payments/settle/lock',
    ],
    [
      'called a lock',
      'ERROR worker: timeout waiting for lock payments/settle/lock: 300s',
      'payments/settle/lock',
    ],
    ['as a field', 'level=error msg="no lock" key=payments/settle/lock worker', 'payments/settle/lock'],
    ['in JSON', '{"caller":"main/lock.go:12", "key":"payments/settle", "by":"worker"}', 'payments/settle'],
    ['in a link', 'worker lock http://consul:8500/v1/kv/payments%2Fsettle?acquire', 'payments/settle'],
    ['as an entry', 'no lock "semaphore/other/.lock" worker', 'semaphore/other'],
    [
      'in a link that was encoded, in its own case',
      'worker lock http://consul:8500/v1/kv/Service%2FAbsent?raw',
      'Service/Absent',
    ],
    ['in an error of Go', 'worker lock Get http://c:8500/v1/kv/svc/x: dial tcp', 'svc/x'],
    ['in a quoted request', 'worker lock: Put "/v1/kv/svc/x?acquire=1": EOF', 'svc/x'],
    ['in brackets', 'worker: no semaphore (payments/settle), gone', 'payments/settle'],
    ['in quotes of a book', 'worker: lock “payments/settle”，超时', 'payments/settle'],
    [
      'with the end of a file that it is not',
      'lock "cron/absent.lock" timed out for worker',
      'cron/absent.lock',
    ],
    ['with a bracket of its own', 'worker lock http://c:8500/v1/kv/jobs(2)).', 'jobs(2)'],
    ['with the end of a host', 'worker: lock=db/main.prod is lost', 'db/main.prod'],
  ])('%s and not in view: that is said, and nothing is found by the words around it', (_how, text, name) => {
    expect(unseenNames(text, all)).toEqual([name]);
    expect(asked(text)).toEqual({ rows: [], sessions: [], target: null });
    expect(sessionsInstead(text, shards.sessions)).toEqual([]);
  });

  test.each([
    'lost lock "pay/ledger"',
    'no slot in "semaphore/mg-init/.lock"',
    `no slot in "semaphore/mg-init/${idOf(3)}"`,
    'all below prefix=orders/shard-1 wait',
    `http://box/session?id=${idOf(7)}`,
    "worker couldn't go on at main/lock.go:12, it wasn't up",
    'see "https://wiki.example/locks" or "lib/lock.py"',
    'panic at "pkg/lock.go:12:5" and "/var/run/x.sock"',
    'Put "/v1/session/renew/abc": EOF',
    'lost lock 2/5 times',
    'semaphore: 3/10 taken',
    'unexpected "text/html"',
    'permission denied: key read/write',
    'lock and/or semaphore',
    'orders/shard-9',
    '"orders/shard-9"',
  ])('nothing is said of what is in view, is no key, or is typed: %s', (text) => {
    expect(unseenNames(text, all)).toEqual([]);
  });

  test.each([
    'lost lock 2/5 times',
    'PUT "/v1/session/renew/abc": EOF',
    'got "text/html"',
    'denied: key read/write',
  ])("a false key does not hide the line's subject: %s", (text) => {
    const held = snapshotOf({ locks: [lockOf('a/b', { holder: holderOf(7) }), lockOf('c/d')] });
    const { rows: hits } = find(`worker-7 ${text}`, { rows: rowsOf(held), sessions: [] });
    expect(hits.map(({ of, closeness }) => [of.name, closeness])).toEqual([['a/b', 'mentioned']]);
  });

  test('with any punctuation around it, a key in view is found and never called not in view', () => {
    const part = fc.string({ unit: fc.constantFrom(...'abz09Qéя任'), minLength: 2, maxLength: 5 });
    const inner = fc.constantFrom('/', '/', '/', '-', '_', '.', ':', '/_', '/.');
    const keyOf = fc
      .tuple(part, part, fc.array(fc.tuple(inner, part), { maxLength: 3 }))
      .map(([a, b, more]) => `k${a}/${b}${more.map((both) => both.join('')).join('')}`);
    const signs = [
      ...'.,:;!?()[]{}<>"\'`|*=-_~^+@$\\',
      ...'，。；：！？、（）【】《》〈〉“”„‘’«»「」『』…—·',
    ];
    // The text after a key, without characters that could be part of its name.
    const around = fc.string({ unit: fc.constantFrom(...signs), maxLength: 4 });
    const before = fc.constantFrom(
      '',
      'lock ',
      'waits for lock: ',
      'level=warn key=',
      'no "semaphore": ',
      'Get http://consul:8500/v1/kv/',
      'see https://box.example/lock?key=',
      'GET /v1/kv/',
    );
    const after = fc.constantFrom('', ' dial tcp', ' 超时', ' after 300s', '，超时', '\n');
    fc.assert(
      fc.property(
        keyOf,
        before,
        around,
        around,
        after,
        fc.boolean(),
        (key, start, open, close, end, encodes) => {
          const inLink = start.includes('/');
          const written = encodes && inLink ? encodeURIComponent(key) : key;
          const text = `${start}${inLink ? '' : open}${written}${close}${end}`;
          const near = rowsOf(snapshotOf({ locks: [lockOf(key), lockOf('other/one')] }));
          expect(unseenNames(text, near), text).toEqual([]);
          expect(
            find(text, { rows: near, sessions: [] }).rows.map(({ of }) => of.name),
            text,
          ).toContain(key);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a typo in the key finds it, and that the key as it is written is not in view is said', () => {
    const text = 'ERROR worker: timeout waiting for lock "orders/shrad-1/lock" after 300s';
    expect(asked(text).rows.map(({ of }) => of.name)).toContain('orders/shard-1/lock');
    expect(unseenNames(text, all)).toEqual(['orders/shrad-1/lock']);
  });
});
