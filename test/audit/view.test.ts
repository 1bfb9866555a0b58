/** The audit's rows for each reader, in every form, by real tokens of a real agent. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';
import type { ShownRow } from '@/lib/domain/actions/deed';
import type { Identity } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import { answerAudit, answerChain, auditShown } from '@/lib/server/audit/answer';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { createChainCheck } from '@/lib/server/audit/check';
import { createCursors } from '@/lib/server/audit/cursor';
import type { AuditCaller } from '@/lib/server/audit/view';
import { backendOn, makeToken, readerOf } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { storesHere } from '@/test/support/stores';

/** In everything of the prefix that the reader may not read. */
const hidden = 'zebrafish';
const auditCursors = createCursors('a secret that both replicas know of');
const consul = await startConsul({ acl: true });
const backend = backendOn(consul);
const closing: (() => void)[] = [() => backend.close()];
afterAll(() => {
  for (const close of closing) close();
});

async function callerWith(rules: string, name: string): Promise<AuditCaller & { id: string }> {
  const { secret, accessor } = await makeToken(consul, rules);
  const provider = backend.provider(secret);
  closing.push(() => provider.close());
  const identity: Identity = { kind: 'token', id: accessor, name };
  return { identity, accessControl: 'on', viewpoint: { provider }, id: accessor };
}

const entry = (over: Partial<AuditEntry>): AuditEntry => ({
  kind: 'intent',
  thread: randomUUID(),
  who: { kind: 'token', id: 'somebody-else', name: 'Somebody' },
  address: null,
  action: 'lock.release',
  subjects: ['lock:a/x'],
  reason: '',
  detail: {},
  ...over,
});

const reader = await callerWith(readerOf('a/'), 'reader');
const overseer = await callerWith('acl = "read"', 'overseer');
const nobody: AuditCaller = { ...reader, identity: { kind: 'anonymous' } };
const open: AuditCaller = { ...nobody, accessControl: 'off' };

/** Every kind of row by another person; `seen`: by a reader of `a/`. */
const others: readonly { what: string; seen: boolean; of: Partial<AuditEntry> }[] = [
  { what: 'a lock under the prefix', seen: true, of: {} },
  { what: 'a semaphore under it', seen: true, of: { subjects: ['semaphore:a/pool'] } },
  { what: 'a refused action', seen: true, of: { kind: 'refused', detail: { outcome: 'read-only' } } },
  { what: 'a lock of another prefix', seen: false, of: { subjects: [`lock:${hidden}/x`] } },
  { what: 'a semaphore of another', seen: false, of: { subjects: [`semaphore:${hidden}`] } },
  {
    what: 'one of several subjects elsewhere',
    seen: false,
    of: { subjects: ['lock:a/x', `lock:${hidden}/y`] },
  },
  {
    what: 'a lock, with what else its session held',
    seen: true,
    of: {
      kind: 'refused',
      detail: {
        outcome: 'done',
        freed: ['lock:a/x', `lock:${hidden}/z`],
        saw: { holdings: 2, entries: [{ key: `${hidden}/z` }] },
        why: { code: 'no-entry', facts: { key: `${hidden}/z` } },
        difference: [{ code: 'holdings-changed', facts: { keys: `${hidden}/z` } }],
        // No right to a key says who may know what a session is called.
        whom: [
          { session: 's1', label: `${hidden}-worker`, name: null, node: `${hidden}-node`, verdict: 'alive' },
        ],
        subjects: [
          {
            subject: 'lock:a/x',
            what: 'taken',
            by: ['s2'],
            whom: [{ session: 's2', label: `${hidden}-next`, name: null, node: null, verdict: 'alive' }],
          },
          { subject: `lock:${hidden}/z`, what: 'gone' },
        ],
        holdingsOfA: 7,
      },
    },
  },
  { what: 'a session', seen: false, of: { action: 'session.destroy', subjects: ['session:1234'] } },
  { what: 'no subject', seen: false, of: { kind: 'sign-in', action: null, subjects: [] } },
  { what: 'a share link of a lock under it', seen: false, of: { kind: 'grant-created', action: null } },
];

for (const kind of await storesHere()) {
  const audit = createAuditLog({ store: kind.open(await kind.place()), replica: 'test', now: Date.now });
  const runtime = { audit, auditCursors, auditChain: createChainCheck(audit, Date.now), now: Date.now };

  describe(kind.name, () => {
    const rowOf = new Map<string, AuditRow>();
    beforeAll(async () => {
      for (const { what, of } of others) rowOf.set(what, await audit.append(entry({ ...of, reason: what })));
      const own = { kind: 'token', id: reader.id, name: 'reader' } as const;
      for (const of of [
        { kind: 'sign-in', action: null, subjects: [] },
        { subjects: ['session:own'] },
      ] as const)
        rowOf.set(of.subjects[0] ?? 'own sign-in', await audit.append(entry({ ...of, who: own })));
    });

    const ask = async (caller: AuditCaller, query = '') => {
      const response = await answerAudit(
        new Request(`http://signalbox/api/v1/audit${query}`),
        caller,
        runtime,
      );
      return { response, text: await response.text() };
    };
    const rows = async (caller: AuditCaller, query = '') =>
      JSON.parse((await ask(caller, query)).text) as {
        rows: ShownRow[];
        older: string | null;
        part: boolean;
      };
    const threads = (list: readonly { thread: string }[]) => list.map(({ thread }) => thread);
    const seenByReader = () => {
      const names = [
        ...others.filter(({ seen }) => seen).map(({ what }) => what),
        'own sign-in',
        'session:own',
      ];
      return names.flatMap((name) => rowOf.get(name) ?? []).sort((a, b) => b.seq - a.seq);
    };

    describe('a reader of one prefix', () => {
      test('sees the actions on what their token may read, and everything of their own', async () => {
        const { rows: shown, part } = await rows(reader);
        expect(part).toBe(true);
        expect(threads(shown)).toEqual(threads(seenByReader()));
      });

      test('sees the same as entries on the page and in both exports', async () => {
        const page = await auditShown({}, reader, runtime);
        expect('deeds' in page && page.deeds.map(({ head }) => head.thread)).toEqual(threads(seenByReader()));
        const jsonl = (await ask(reader, '?format=jsonl')).text.trim().split('\n');
        expect(threads(jsonl.map((line) => JSON.parse(line)))).toEqual(threads(seenByReader()));
        const csv = (await ask(reader, '?format=csv')).text.trim().split('\r\n');
        expect(csv).toHaveLength(seenByReader().length + 1);
      });

      test('gets no number, digest or name of a hidden row, in any form', async () => {
        const forms = await Promise.all(
          [
            '',
            '?limit=1',
            '?format=csv',
            '?format=jsonl',
            `?subject=lock:${hidden}/x`,
            '?person=Somebody',
          ].map(async (query) => (await ask(reader, query)).text.replaceAll(`lock:${hidden}/x`, '')),
        );
        const page = JSON.stringify(await auditShown({ limit: '1' }, reader, runtime));
        for (const text of [...forms, page]) {
          expect(text).not.toContain(hidden);
          expect(text).not.toMatch(/"(seq|before|digest)"|,seq|digest/);
          for (const { digest } of rowOf.values()) expect(text).not.toContain(digest);
        }
      });

      test("gets from another's deed the facts about keys that they may read, and nothing else", async () => {
        const { rows: shown } = await rows(reader);
        const { thread } = rowOf.get('a lock, with what else its session held') ?? {};
        expect(shown.find((row) => row.thread === thread)?.detail).toEqual({
          outcome: 'done',
          freed: ['lock:a/x'],
          why: { code: 'no-entry' },
          subjects: [{ subject: 'lock:a/x', what: 'taken', by: ['s2'] }],
        });
      });

      test('gets the same answer for a subject that they may not read, whether it was acted on or not', async () => {
        const there = await rows(reader, `?subject=lock:${hidden}/x`);
        const notThere = await rows(reader, `?subject=lock:${hidden}/never`);
        expect(there).toEqual(notThere);
        expect(there.rows).toEqual([]);
      });

      test('pages through all of it by sealed places, each row once, and a plain number is not taken', async () => {
        const seen: ShownRow[] = [];
        let older: string | null = null;
        do {
          const page = await rows(reader, `?limit=1${older === null ? '' : `&below=${older}`}`);
          seen.push(...page.rows);
          expect(page.older ?? '').not.toMatch(/^\d+$/);
          older = page.older;
        } while (older !== null);
        expect(threads(seen)).toEqual(threads(seenByReader()));
        await expect(ask(reader, '?below=5')).rejects.toThrow(ProblemError);
      });

      test("cannot use another reader's place", async () => {
        const other = await callerWith(readerOf('a/'), 'another reader');
        const { older } = await rows(reader, '?limit=1');
        await expect(ask(other, `?below=${older}`)).rejects.toThrow(ProblemError);
      });

      test('may not have the chain checked: how many rows there are is not theirs to know', async () => {
        const refused = answerChain(new Request('http://signalbox/api/v1/audit/chain'), reader, runtime);
        await expect(refused).rejects.toMatchObject({ problem: { code: 'forbidden' }, httpStatus: 403 });
      });
    });

    test("a reader of the agent's rules sees every row and its place, and has the chain checked", async () => {
      const all = [...rowOf.values()].sort((a, b) => b.seq - a.seq);
      expect((await rows(overseer)).rows).toEqual(all);
      expect((await rows(overseer, '?below=3')).rows.map(({ seq }) => seq)).toEqual([2, 1]);
      const chain = await answerChain(new Request('http://signalbox/api/v1/audit/chain'), overseer, runtime);
      expect(await chain.json()).toMatchObject({ rows: all.length, brokenAt: null, head: all[0]?.digest });
    });

    test('a stranger sees no row with access control, and all without', async () => {
      await expect(ask(nobody)).rejects.toMatchObject({ problem: { code: 'signed-out' } });
      expect(await auditShown({}, nobody, runtime)).toEqual({ failed: 'sign-in' });
      expect((await rows(open)).rows).toHaveLength(rowOf.size);
    });

    test('while the agent cannot be asked, rows of others are hidden and own ones stay', async () => {
      const away = backendOn({ address: '127.0.0.1:9' });
      const provider = away.provider('any');
      const { rows: shown } = await rows({ ...reader, viewpoint: { provider } });
      provider.close();
      away.close();
      expect(threads(shown)).toEqual([rowOf.get('session:own')?.thread, rowOf.get('own sign-in')?.thread]);
    });
  });
}
