/** The audit as a file, and its chain checked away from the server. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';
import { answerAudit } from '@/lib/server/audit/answer';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { createChainCheck } from '@/lib/server/audit/check';
import { createCursors } from '@/lib/server/audit/cursor';
import { csvCell } from '@/lib/server/audit/export';
import type { AuditCaller } from '@/lib/server/audit/view';
import { checkLines } from '@/scripts/audit-check.mjs';
import { freshFolder, storesHere } from '@/test/support/stores';

const folder = freshFolder();

/** More than one batch of the walk. */
const count = 1_203;
const worker = { session: 's7', label: 'worker-7', name: 'w', node: 'n1', verdict: 'alive' };
const entry = (i: number): AuditEntry => ({
  kind: i % 2 === 0 ? 'refused' : 'sign-in',
  thread: randomUUID(),
  who: { kind: 'proxy', name: i === 7 ? '=HYPERLINK("http://evil")' : `person ${i % 3}` },
  address: null,
  action: null,
  subjects: [`lock:jobs/${i % 5}`],
  reason: i === 8 ? 'a "quoted", long\nreason \u0000 — 理由' : '',
  // Members that JavaScript puts into another order than their names have.
  detail:
    i === 9
      ? { b: 1, a: { '10': 1, '9': 2 }, outcome: 'read-only' }
      : {
          outcome: 'read-only',
          ...(i === 10 ? { whom: [worker, { ...worker, label: null, node: null }] } : {}),
        },
});

// Without access control, the backend is not asked either.
const caller = {
  identity: { kind: 'anonymous' },
  accessControl: 'off',
  viewpoint: { provider: {} },
} as unknown as AuditCaller;

/** Reads CSV as RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

for (const kind of await storesHere()) {
  const audit = createAuditLog({
    store: kind.open(await kind.place()),
    replica: 'test',
    now: Date.now,
    // All rows come at one moment, which no budget would let through: on a busy machine the last waits longer than usual.
    appendMs: 60_000,
  });
  const runtime = {
    audit,
    auditCursors: createCursors(null),
    auditChain: createChainCheck(audit, Date.now),
    now: Date.now,
  };
  const ask = (query: string) =>
    answerAudit(new Request(`http://signalbox/api/v1/audit?${query}`), caller, runtime);
  const linesOf = async (query: string) => (await (await ask(query)).text()).trimEnd().split('\n');

  describe(kind.name, () => {
    const written: AuditRow[] = [];
    beforeAll(async () => {
      written.push(...(await Promise.all(Array.from({ length: count }, (_, i) => audit.append(entry(i))))));
    });

    describe('JSON lines', () => {
      test('hold every row, newest first, each as the store has it', async () => {
        const rows = (await linesOf('format=jsonl')).map((line) => JSON.parse(line) as AuditRow);
        expect(rows).toEqual([...written].sort((a, b) => b.seq - a.seq));
      });

      test('are checked by a script with nothing else at hand; a changed, a missing and a forged row are found', async () => {
        const lines = await linesOf('format=jsonl');
        const head = lines[0] === undefined ? '' : (JSON.parse(lines[0]) as AuditRow).digest;
        expect(await checkLines(lines)).toMatchObject({
          rows: count,
          gaps: 0,
          from: 1,
          faults: [],
          head: { digest: head },
        });
        expect(await checkLines([...lines].reverse()), 'oldest first').toMatchObject({ gaps: 0, faults: [] });

        const at = count - 9;
        const changed = lines.map((line, i) => (i === at ? line.replace('read-only', 'read-onlx') : line));
        expect((await checkLines(changed)).faults).toEqual([
          expect.stringMatching(/^row 9 was changed$|^row \d+ was changed$/),
        ]);
        expect(await checkLines(lines.filter((_, i) => i !== at))).toMatchObject({ gaps: 1 });
        // A row that was put in another's place with a digest of its own.
        const forged = JSON.parse(lines[at] ?? '') as AuditRow;
        const other = JSON.parse(lines[at - 1] ?? '') as AuditRow;
        const replaced = { ...other, seq: forged.seq };
        expect(
          (await checkLines(lines.map((line, i) => (i === at ? JSON.stringify(replaced) : line)))).faults,
        ).not.toEqual([]);
      });

      test('the script says so by its exit code too', async () => {
        const path = join(folder, 'export.jsonl');
        const script = join(import.meta.dirname, '../../scripts/audit-check.mjs');
        const lines = await linesOf('format=jsonl');
        writeFileSync(path, lines.join('\n'));
        expect(execFileSync(process.execPath, [script, path], { encoding: 'utf8' })).toContain(
          `${count} rows from 1 to ${count}, 0 missing in between`,
        );
        writeFileSync(path, lines.join('\n').replace('"reason":""', '"reason":"x"'));
        const link = join(folder, 'check.mjs');
        rmSync(link, { force: true });
        symlinkSync(script, link);
        for (const name of [script, link])
          expect(spawnSync(process.execPath, [name, path]).status, name).toBe(1);
      });

      test.each([
        [
          'in between',
          (lines: readonly string[]) => lines.filter((_, i) => i !== 5 && i !== 9),
          '2 rows are missing',
        ],
        ['at the beginning', (lines: readonly string[]) => lines.slice(0, -3), '3 rows are missing'],
      ])(
        'rows that are missing %s are a fault with a sentence and an exit code of its own',
        async (_, cut, sentence) => {
          const path = join(folder, 'missing.jsonl');
          const script = join(import.meta.dirname, '../../scripts/audit-check.mjs');
          writeFileSync(path, cut(await linesOf('format=jsonl')).join('\n'));
          const said = spawnSync(process.execPath, [script, path], { encoding: 'utf8' });
          expect([said.status, said.stderr]).toEqual([3, expect.stringContaining(sentence)]);
          const narrowed = spawnSync(process.execPath, [script, '--narrowed', path], { encoding: 'utf8' });
          expect([narrowed.status, narrowed.stderr]).toEqual([0, '']);
        },
      );

      test('of a reader of a part are said to hold no digests, which is no alarm; one stripped row is', async () => {
        const path = join(folder, 'part.jsonl');
        const script = join(import.meta.dirname, '../../scripts/audit-check.mjs');
        const bare = (line: string) => {
          const { seq: _seq, before: _before, digest: _digest, ...row } = JSON.parse(line) as AuditRow;
          return JSON.stringify(row);
        };
        const lines = await linesOf('format=jsonl');
        writeFileSync(path, lines.map(bare).join('\n'));
        const said = spawnSync(process.execPath, [script, path], { encoding: 'utf8' });
        expect(said.status).toBe(2);
        expect(said.stdout).toBe('');
        expect(said.stderr).toMatch(/^1203 rows, none with a digest: .* does not see the whole record/);

        writeFileSync(path, lines.map((line, i) => (i === 3 ? bare(line) : line)).join('\n'));
        const stripped = spawnSync(process.execPath, [script, path], { encoding: 'utf8' });
        expect(stripped.status).toBe(1);
        expect(stripped.stderr).toContain('1 of 1203 rows hold no digest');
      });

      test('are read as fast as the client takes them: a departed client ends the read', async () => {
        let reads = 0;
        const counted = {
          ...audit,
          read: (query: Parameters<typeof audit.read>[0]) => {
            reads += 1;
            return audit.read(query);
          },
        };
        const request = new Request('http://signalbox/api/v1/audit?format=jsonl');
        const response = await answerAudit(request, caller, { ...runtime, audit: counted });
        const reader = response.body?.getReader();
        await reader?.read();
        await reader?.cancel();
        expect(reads).toBeLessThan(3);
      });

      test('let others in between their batches, where no row matches too', async () => {
        let turn = 0;
        let next = setImmediate(function count() {
          turn += 1;
          next = setImmediate(count);
        });
        const readIn: number[] = [];
        const counted = {
          ...audit,
          read: (query: Parameters<typeof audit.read>[0]) => {
            readIn.push(turn);
            return audit.read(query);
          },
        };
        const request = new Request('http://signalbox/api/v1/audit?format=jsonl&person=nobody');
        const response = await answerAudit(request, caller, { ...runtime, audit: counted });
        expect(await response.text()).toBe('');
        clearImmediate(next);
        expect(readIn.length).toBeGreaterThan(2);
        expect(new Set(readIn).size).toBe(readIn.length);
      });
    });

    describe('CSV', () => {
      test('is RFC 4180, with every row and its digests', async () => {
        const response = await ask('format=csv');
        expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
        expect(response.headers.get('content-disposition')).toMatch(
          /^attachment; filename="signalbox-audit-\d{4}-\d\d-\d\d\.csv"$/,
        );
        const [head = [], ...rows] = readCsv(await response.text());
        expect(rows).toHaveLength(count);
        const digests = rows.map((row) => row[head.indexOf('digest')]);
        expect(digests).toEqual([...written].sort((a, b) => b.seq - a.seq).map(({ digest }) => digest));
        const long = rows.find((row) => row[head.indexOf('reason')] !== '');
        expect(long?.[head.indexOf('reason')]).toBe('a "quoted", long\nreason \u0000 — 理由');
      });

      test('name the clients that a row hit in a column of their own, one a line; in older rows it is empty', async () => {
        const [head = [], ...rows] = readCsv(await (await ask('format=csv')).text());
        const cells = rows.map((row) => row[head.indexOf('whom')]).filter((cell) => cell !== '');
        expect(cells).toEqual(['worker-7 s7 alive @n1\ns7 alive']);
      });

      test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1', '＠SUM(A1)'])(
        'a cell that a spreadsheet would run is made text: %j',
        (text) => {
          const [[cell] = []] = readCsv(`${csvCell(text)}\r\n`);
          expect(cell).toBe(`'${text}`);
        },
      );

      test('a cell that a spreadsheet might part is quoted', () => {
        for (const text of ['a;=1', 'a\t=1', 'a,=1', 'a"=1', 'a\n=1'])
          expect(csvCell(text)).toBe(`"${text.replaceAll('"', '""')}"`);
      });

      test('a name that would be run is made text in the whole file as well', async () => {
        const [head = [], ...rows] = readCsv(await (await ask('format=csv')).text());
        expect(rows.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
        expect(rows.map((row) => row[head.indexOf('name')])).toContain(`'=HYPERLINK("http://evil")`);
      });
    });

    test.each([
      ['kind=sign-in', (row: AuditRow) => row.kind === 'sign-in'],
      ['subject=lock:jobs/3', (row: AuditRow) => row.subjects.includes('lock:jobs/3')],
      ['subject=obs/3', (row: AuditRow) => row.subjects.includes('lock:jobs/3')],
      ['person=PERSON%202', (row: AuditRow) => row.who.kind === 'proxy' && row.who.name === 'person 2'],
      ['outcome=refused', (row: AuditRow) => row.kind === 'refused'],
      ['outcome=done', () => false],
    ])('an export keeps the filter %s', async (query, matches) => {
      const text = (await (await ask(`format=jsonl&${query}`)).text()).trimEnd();
      const seqs = text === '' ? [] : text.split('\n').map((line) => (JSON.parse(line) as AuditRow).seq);
      expect(seqs).toEqual(
        written
          .filter(matches)
          .map(({ seq }) => seq)
          .sort((a, b) => b - a),
      );
    });

    test.each([
      'limit=0',
      'limit=1001',
      'kind=none',
      'from=yesterday',
      'below=x',
      'format=xml',
      'outcome=well',
    ])('a query that is not understood is refused by name: %s', async (query) => {
      const where = query.slice(0, query.indexOf('='));
      await expect(ask(query)).rejects.toMatchObject({
        problem: { code: 'invalid', why: { facts: { where } } },
      });
    });
  });
}
