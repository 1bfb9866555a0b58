/** The audit, the same on both stores. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { genesis, sha256 } from '@/lib/server/audit/chain';
import { entryOf } from '@/test/support/audit';
import { storeKinds } from '@/test/support/stores';

const everything = { below: null, limit: 1_000 } as const;

const columns = '(seq, at_ms, kind, thread, person, body, digest)';
/** SQLite's ways to remove a row without a trigger: by its number, by its thread, by its hidden number. */
const replaces = [
  `insert or replace into signalbox_audit ${columns} values (1, 1, 'sign-in', 'x', 'x', '{}', 'x')`,
  `replace into signalbox_audit ${columns} values (9, 1, 'intent', 'begun', 'x', '{}', 'x')`,
  `insert or replace into signalbox_audit (rowid, ${columns.slice(1)}
   values (1, 9, 1, 'sign-in', 'x', 'x', '{}', 'x')`,
  "insert or replace into signalbox_audit_subjects (rowid, subject, seq) values (1, 'x', 1)",
];
const upserts = [
  `insert into signalbox_audit ${columns} values (1, 1, 'sign-in', 'x', 'x', '{}', 'x')
   on conflict (seq) do update set body = '{}'`,
];

for (const kind of await storeKinds())
  describe.skipIf(kind.missing !== null)(kind.name, () => {
    const start = async (now = Date.now, onCut: (seq: number) => void = () => {}) => {
      const where = await kind.place();
      const store = kind.open(where);
      return { where, store, audit: createAuditLog({ store, replica: 'here', now, onCut }) };
    };
    /** Does what only an owner of the database can do: without the triggers. */
    const tamper = async ({ store }: Awaited<ReturnType<typeof start>>, statements: readonly string[]) => {
      if (kind.name === 'postgres') {
        for (const table of ['signalbox_audit', 'signalbox_audit_subjects'])
          await sql.raw(`alter table ${table} disable trigger user`).execute(store.db);
      } else {
        await sql.raw('pragma foreign_keys = off').execute(store.db);
        for (const table of ['signalbox_audit', 'signalbox_audit_subjects'])
          for (const change of ['update', 'delete'])
            await sql.raw(`drop trigger ${table}_no_${change}`).execute(store.db);
      }
      for (const statement of statements) await sql.raw(statement).execute(store.db);
    };

    test('rows are numbered without gaps, and each holds the digest of the one before', async () => {
      const { audit } = await start();
      const rows = await Promise.all(
        Array.from({ length: 20 }, (_, i) => audit.append(entryOf({ reason: `${i}` }))),
      );
      rows.sort((a, b) => a.seq - b.seq);
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
      expect(rows.map(({ before }) => before)).toEqual([genesis, ...rows.slice(0, -1).map((r) => r.digest)]);
      expect(await audit.verify()).toEqual({ rows: 20, brokenAt: null, head: rows.at(-1)?.digest });
      expect(await audit.read(everything)).toEqual([...rows].reverse());
    });

    test('an empty audit is whole', async () => {
      const { audit } = await start();
      expect(await audit.verify()).toEqual({ rows: 0, brokenAt: null, head: null });
      expect(await audit.read(everything)).toEqual([]);
    });

    test('two writers on one store make one chain', async () => {
      const { where, audit } = await start();
      const other = createAuditLog({ store: kind.open(where), replica: 'there', now: Date.now });
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (i % 2 === 0 ? audit : other).append(entryOf({ reason: `${i}` })),
        ),
      );
      expect(await audit.verify()).toMatchObject({ rows: 60, brokenAt: null });
      const replicas = (await audit.read(everything)).map(({ replica }) => replica);
      expect(new Set(replicas)).toEqual(new Set(['here', 'there']));
    });

    test.each([
      [
        'a changed row',
        ["update signalbox_audit set body = replace(body, 'row 3', 'row X') where seq = 3"],
        3,
      ],
      [
        'a changed row with a digest to match',
        [
          `update signalbox_audit set body = (select body from signalbox_audit where seq = 2),
             digest = (select digest from signalbox_audit where seq = 2) where seq = 3`,
        ],
        3,
      ],
      [
        'a removed row',
        ['delete from signalbox_audit_subjects where seq = 3', 'delete from signalbox_audit where seq = 3'],
        3,
      ],
      [
        'a removed row, with those after it moved up',
        [
          'delete from signalbox_audit_subjects where seq >= 3',
          'delete from signalbox_audit where seq = 3',
          'update signalbox_audit set seq = 3 where seq = 4',
          'update signalbox_audit set seq = 4 where seq = 5',
        ],
        3,
      ],
      [
        'two rows swapped',
        [
          'delete from signalbox_audit_subjects',
          'update signalbox_audit set seq = 99 where seq = 2',
          'update signalbox_audit set seq = 2 where seq = 3',
          'update signalbox_audit set seq = 3 where seq = 99',
        ],
        1,
      ],
      [
        'a row that a filter would no longer find',
        ["update signalbox_audit set kind = 'sign-out' where seq = 4"],
        4,
      ],
      ['a row filed under another person', ["update signalbox_audit set person = 'x' where seq = 4"], 4],
      ['a row filed under another time', ['update signalbox_audit set at_ms = at_ms + 1 where seq = 4'], 4],
      ['a row no longer filed under its subject', ['delete from signalbox_audit_subjects where seq = 5'], 5],
    ])('%s is found', async (_, statements, brokenAt) => {
      const started = await start();
      const { audit } = started;
      for (let i = 1; i <= 5; i += 1)
        await audit.append(entryOf({ reason: `row ${i}`, subjects: ['lock:a', `lock:${i}`] }));
      await tamper(started, statements);
      expect(await audit.verify()).toMatchObject({ rows: brokenAt - 1, brokenAt });
    });

    test.each([
      ['is found at the row after it', 3, 4],
      ['shows in the digest of the last row alone, if it is the last', 5, null],
    ])('a changed row with a new digest %s', async (_, seq, brokenAt) => {
      const started = await start();
      const { store, audit } = started;
      for (let i = 1; i <= 5; i += 1) await audit.append(entryOf({ reason: `row ${i}` }));
      const { head } = await audit.verify();
      const { body } = await store.db
        .selectFrom('signalbox_audit')
        .select('body')
        .where('seq', '=', seq)
        .executeTakeFirstOrThrow();
      const forged = body.replace(`row ${seq}`, 'row X');
      await tamper(started, [
        `update signalbox_audit set body = '${forged}', digest = '${sha256(forged)}' where seq = ${seq}`,
      ]);
      // A process that saw the row before notices more; this one has just begun.
      const begun = createAuditLog({ store, replica: 'begun', now: Date.now });
      const found = await begun.verify();
      expect(found.brokenAt).toBe(brokenAt);
      expect(await audit.verify()).toMatchObject({ brokenAt: brokenAt ?? seq });
      expect(found.head).not.toBe(head);
    });

    test.each([
      ['and nothing was written since', 0],
      ['and other rows have grown over it', 3],
    ])('a tail that was cut off is noticed by who has just seen it whole, %s', async (_, grown) => {
      const cut: number[] = [];
      const started = await start(Date.now, (seq) => cut.push(seq));
      const { where, audit } = started;
      for (let i = 1; i <= 5; i += 1) await audit.append(entryOf({ reason: `row ${i}` }));
      expect(await audit.verify()).toMatchObject({ rows: 5, brokenAt: null });
      await tamper(started, ['delete from signalbox_audit where seq >= 4']);
      const other = createAuditLog({ store: kind.open(where), replica: 'there', now: Date.now });
      for (let i = 1; i <= grown; i += 1) await other.append(entryOf({ reason: `grown ${i}` }));
      expect(await audit.verify()).toMatchObject({ brokenAt: grown === 0 ? 4 : 5 });
      expect(cut).toHaveLength(1);
      await audit.append(entryOf());
      expect(await audit.verify(), 'also later').toMatchObject({ brokenAt: grown === 0 ? 4 : 5 });
    });

    test('a tail that was cut off is noticed by the next write, however the chain fits', async () => {
      const cut: number[] = [];
      const started = await start(Date.now, (seq) => cut.push(seq));
      const { audit } = started;
      for (let i = 1; i <= 3; i += 1) await audit.append(entryOf({ reason: `row ${i}` }));
      await tamper(started, ['delete from signalbox_audit where seq = 3']);
      await audit.closeOpen(60_000);
      expect(cut).toEqual([3]);
      await audit.append(entryOf());
      expect(await audit.verify()).toMatchObject({ rows: 2, brokenAt: 3 });
      expect(cut).toEqual([3]);
    });

    test('rows that others write meanwhile are no cut', async () => {
      const cut: number[] = [];
      const { where, audit } = await start(Date.now, (seq) => cut.push(seq));
      const other = createAuditLog({ store: kind.open(where), replica: 'there', now: Date.now });
      await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          await (i % 2 === 0 ? audit : other).append(entryOf({ reason: `${i}` }));
          expect(await audit.verify()).toMatchObject({ brokenAt: null });
        }),
      );
      expect(cut).toEqual([]);
    });

    test('a row that had to wait has the time of its event, and stands where it was written', async () => {
      const { audit } = await start();
      const first = await audit.append(entryOf());
      const late = await audit.append(entryOf({ detail: { outcome: 'done' } }), performance.now() - 60_000);
      expect(late).toMatchObject({ seq: 2, before: first.digest });
      expect(late.detail).toEqual({ outcome: 'done', lateMs: expect.any(Number) });
      expect(late.detail.lateMs).toBeGreaterThanOrEqual(60_000);
      expect(first.atMs - late.atMs).toBeGreaterThan(50_000);
      const atOnce = await audit.append(entryOf(), performance.now());
      expect(atOnce.detail).toEqual(entryOf().detail);
      expect(await audit.verify()).toMatchObject({ rows: 3, brokenAt: null });
    });

    test('the database itself refuses to change or remove a row', async () => {
      const { store, audit } = await start();
      await audit.append(entryOf({ kind: 'intent', thread: 'begun', subjects: ['lock:a'] }));
      const changes = [
        "update signalbox_audit set body = '{}'",
        'delete from signalbox_audit',
        "update signalbox_audit_subjects set subject = 'x'",
        'delete from signalbox_audit_subjects',
        ...(kind.name === 'postgres' ? ['truncate signalbox_audit cascade'] : []),
        ...(kind.name === 'postgres' ? upserts : replaces),
      ];
      for (const change of changes)
        await expect(sql.raw(change).execute(store.db)).rejects.toThrow('only ever added');
      expect(await audit.verify()).toMatchObject({ rows: 1, brokenAt: null });
    });

    test('a row comes back exactly as it was written, with any text', async () => {
      const { audit } = await start();
      const texts = [
        '日本語 🔒 é',
        'a\u0000b',
        '\ud800 half',
        `'"\\%_;--`,
        '\u2028\r\n\t',
        'x'.repeat(2_000),
      ];
      const said = entryOf({
        thread: 'texts',
        who: { kind: 'proxy', name: texts.join('|') },
        address: '::1',
        subjects: texts.map((text) => `lock:${text}`),
        reason: texts[0] ?? '',
        detail: { texts, 'b\u0000': null, a: { z: 1.5, y: [true, {}] } },
      });
      const row = await audit.append(said);
      expect(row).toMatchObject(said);
      for (const subject of said.subjects)
        expect(await audit.read({ ...everything, subject })).toEqual([row]);
      expect(await audit.verify()).toMatchObject({ rows: 1, brokenAt: null });
    });

    test('a reason is trimmed and bounded', async () => {
      const { audit } = await start();
      const { reason } = await audit.append(entryOf({ reason: `  ${'x'.repeat(900)}` }));
      expect(reason).toBe('x'.repeat(500));
    });

    test('a row that an action has once is written once, at any number of writers', async () => {
      const { where, audit } = await start();
      const other = createAuditLog({ store: kind.open(where), replica: 'there', now: Date.now });
      const rows = await Promise.all(
        [audit, other, audit, other].map((one, i) =>
          one.append(entryOf({ kind: 'outcome', thread: 'once', detail: { i } })),
        ),
      );
      expect(new Set(rows.map(({ digest }) => digest)).size).toBe(1);
      expect(await audit.verify()).toMatchObject({ rows: 1 });
    });

    test('filters narrow by kind, thread, subject, person and time, alone and together', async () => {
      const { audit } = await start();
      const ann = { kind: 'token', id: 'aaaa', name: 'Ann' } as const;
      const bob = { kind: 'proxy', name: 'Bob' } as const;
      const written = [
        await audit.append(
          entryOf({ kind: 'intent', thread: '1', who: ann, subjects: ['lock:a', 'lock:a/b'] }),
        ),
        await audit.append(
          entryOf({ kind: 'outcome', thread: '1', who: ann, subjects: ['lock:a', 'lock:a/b'] }),
        ),
        await audit.append(entryOf({ kind: 'intent', thread: '2', who: bob, subjects: ['lock:b'] })),
        await audit.append(entryOf({ kind: 'sign-in', thread: '3', who: bob })),
      ];
      const seqs = async (query: object) =>
        (await audit.read({ ...everything, ...query })).map(({ seq }) => seq);
      expect(await seqs({})).toEqual([4, 3, 2, 1]);
      expect(await seqs({ kind: 'intent' })).toEqual([3, 1]);
      expect(await seqs({ thread: '1' })).toEqual([2, 1]);
      expect(await seqs({ subject: 'lock:a' })).toEqual([2, 1]);
      expect(await seqs({ subject: 'lock:' })).toEqual([]);
      expect(await seqs({ person: 'token:aaaa' })).toEqual([2, 1]);
      expect(await seqs({ person: 'proxy:Bob', kind: 'intent' })).toEqual([3]);
      expect(await seqs({ subject: 'lock:a', kind: 'outcome', person: 'token:aaaa' })).toEqual([2]);
      expect(await seqs({ person: 'token:aaaa', subject: 'lock:b' })).toEqual([]);
      expect(await seqs({ fromMs: written[0]?.atMs, toMs: written[3]?.atMs })).toEqual([4, 3, 2, 1]);
      expect(await seqs({ fromMs: (written[3]?.atMs ?? 0) + 1 })).toEqual([]);
      expect(await seqs({ toMs: (written[0]?.atMs ?? 0) - 1 })).toEqual([]);
    });

    test('pages hold each row once while more are added, and a chain longer than a step of its walk is whole', async () => {
      const { audit } = await start();
      for (let i = 0; i < 2_000; i += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, j) => audit.append(entryOf({ reason: `${i + j}` }))),
        );
      const seen: number[] = [];
      for (let below: number | null = null; ; below = seen.at(-1) ?? null) {
        const page = await audit.read({ below, limit: 199 });
        if (page.length === 0) break;
        seen.push(...page.map(({ seq }) => seq));
        await audit.append(entryOf());
      }
      expect(seen).toEqual(Array.from({ length: 2_000 }, (_, i) => 2_000 - i));
      expect(await audit.verify()).toMatchObject({ rows: 2_011, brokenAt: null });
    });

    test('an old intent without an end becomes unknown once, by any sweep', async () => {
      const { where, audit } = await start();
      const other = createAuditLog({ store: kind.open(where), replica: 'there', now: Date.now });
      const intent = (thread: string) =>
        audit.append(
          entryOf({ kind: 'intent', thread, action: 'lock.release', subjects: ['lock:a'], reason: 'why' }),
        );
      for (const thread of ['lost', 'ended', 'refused']) await intent(thread);
      await audit.append(entryOf({ kind: 'outcome', thread: 'ended' }));
      await audit.append(entryOf({ kind: 'refused', thread: 'refused' }));
      expect(await audit.closeOpen(60_000)).toBe(0);
      const sweeps = await Promise.all([audit, other, audit, other].map((one) => one.closeOpen(-1_000)));
      expect(sweeps.reduce((a, b) => a + b)).toBe(1);
      await intent('later');
      expect(await audit.closeOpen(60_000)).toBe(0);
      expect(await audit.closeOpen(-1_000)).toBe(1);
      expect(await audit.read({ ...everything, kind: 'unknown' })).toMatchObject([
        { thread: 'later' },
        {
          thread: 'lost',
          action: 'lock.release',
          subjects: ['lock:a'],
          reason: 'why',
          detail: { begunBy: 'here' },
        },
      ]);
      expect(await audit.verify()).toMatchObject({ rows: 8, brokenAt: null });
    });

    test('an intent of more subjects than it names is followed by an unknown that says so, too', async () => {
      const { audit } = await start();
      const detail = { subjectsInAll: 500, subjectsDigest: 'x', saw: {} };
      await audit.append(entryOf({ kind: 'intent', thread: 'large', subjects: ['lock:a'], detail }));
      expect(await audit.closeOpen(-1_000)).toBe(1);
      const [unknown] = await audit.read({ ...everything, kind: 'unknown' });
      expect(unknown?.detail).toEqual({ subjectsInAll: 500, subjectsDigest: 'x', begunBy: 'here' });
    });

    test('a clock that is set forward makes no intent unknown whose action is under way, nor is it forgotten', async () => {
      const { audit } = await start();
      for (const thread of ['under way', 'lost'])
        await audit.append(entryOf({ kind: 'intent', thread, action: 'lock.release' }));
      expect(await audit.closeOpen(-1_000, new Set(['under way']))).toBe(1);
      expect(await audit.closeOpen(-1_000, new Set(['under way']))).toBe(0);
      expect(await audit.closeOpen(-1_000)).toBe(1);
      const unknown = await audit.read({ ...everything, kind: 'unknown' });
      expect(unknown.map(({ thread }) => thread)).toEqual(['under way', 'lost']);
    });
  });
