/**
 * Two replicas on one Postgres, 8 clients, and kill -9 of one replica in the middle of its work: the audit against the
 * real content of Consul. The replicas are processes that run the server's own code from the request's body on: the
 * actions, the record, the store and the provider. The gate and identity before it have tests of their own.
 *
 * `SIGNALBOX_TEST_ACTIONS`: how many actions, 120 unless it is set.
 */
import { expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { subjectsOf } from '@/lib/domain/actions/action';
import type { AuditRow } from '@/lib/domain/actions/audit';
import { subjectId } from '@/lib/domain/model';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';
import { entry, heldLock } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { noPostgres, startTestPostgres } from '@/test/support/postgres';
import { type Program, programs } from '@/test/support/programs';
import { until } from '@/test/support/until';

const actionsMax = Number(process.env.SIGNALBOX_TEST_ACTIONS || 120);
const clients = 8;
const root = 'replicas';

const missing = await noPostgres();
const postgres = missing === null ? await startTestPostgres() : null;
const consul = await startConsul();
const furnisher = consul.client();
const run = await programs({ replica: 'test/audit/programs/replica.ts' });

/** The entries below the root, read with nothing of ours. */
async function stored(): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(`http://${consul.address}/v1/kv/${root}?recurse&consistent`);
  const rows = answer.status === 404 ? [] : ((await answer.json()) as Record<string, unknown>[]);
  return new Map(
    rows.map((row) => [String(row.Key), `${row.ModifyIndex} ${row.Session ?? '-'} ${row.Value}`]),
  );
}

/** An action that writes one key, on a subject of its own. */
async function furnish(i: number): Promise<{ readonly key: string; readonly action: Action }> {
  const name = `${root}/${i}`;
  if (i % 3 === 0) {
    await entry(furnisher, name, '{"Limit":3,"Holders":{}}');
    return {
      key: `${name}/.lock`,
      action: { type: 'semaphore.resize', source: 'consul', prefix: name, limit: 4 },
    };
  }
  const { key } = await heldLock(furnisher, { key: name });
  const how = i % 3 === 1 ? 'destroy-session' : 'hand-over';
  return { key, action: { type: 'lock.release', source: 'consul', key, how } };
}

async function startReplica(name: string, store: object, openMs: number) {
  const program = run('replica', {
    CONSUL_HTTP_ADDR: consul.address,
    STORE: JSON.stringify(store),
    REPLICA: name,
    OPEN_MS: String(openMs),
  });
  const port = await until(() => /^(\d+)\n/.exec(program.output())?.[1], { what: `replica ${name} listens` });
  return { program, url: `http://127.0.0.1:${port}/` };
}

/** Status and body, or `null` when the replica ended meanwhile. */
async function post(url: string, body: unknown) {
  try {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return null;
  }
}

test.skipIf(postgres === null)(
  `${actionsMax} actions of ${clients} clients on two replicas, one killed: every write has its row, every row its end, nothing twice`,
  async () => {
    if (postgres === null) throw new Error('skipped above');
    const where = { postgres: await postgres.database() };
    const store = openStore(where);
    const audit = createAuditLog({ store, replica: 'reader', now: Date.now });
    const a = await startReplica('a', where, 60_000);
    const b = await startReplica('b', where, 60_000);
    const stage = new Map<string, Action>();
    const work = Array.from({ length: actionsMax }, (_, i) => i);
    await Promise.all(
      Array.from({ length: clients }, async () => {
        for (let i = work.shift(); i !== undefined; i = work.shift()) {
          const { key, action } = await furnish(i);
          stage.set(key, action);
        }
      }),
    );
    const before = await stored();
    expect(before.size).toBe(actionsMax);

    const beganMs = performance.now();
    const acknowledged = new Set<string>();
    let cutOff = 0;
    let refused = 0;
    let bLives = true;
    const queue = [...stage];
    const client = async (number: number) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [key, action] = next;
        const url = bLives && (number + queue.length) % 2 === 0 ? b.url : a.url;
        const planned = await post(url, { mode: 'plan', action });
        const done =
          planned &&
          (await post(url, { mode: 'apply', action, reason: 'test', expect: planned.body.expect }));
        if (done?.status === 200) acknowledged.add(key);
        else if (done?.body.why?.code === 'audit-not-written') {
          // A disk that is busy with other things: refused, so nothing was written, and it is done again.
          refused += 1;
          queue.push(next);
        } else if (done !== null && planned !== null) throw new Error(JSON.stringify(done.body));
        else cutOff += 1;
      }
    };
    const all = Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
    await until(() => queue.length < actionsMax / 2, { what: 'half is done', timeoutMs: 900_000 });
    // Stopped, looked at, and killed only when something that it has begun is without an outcome.
    const open = async (replica: string) => {
      const rows = await audit.read({ below: null, limit: 200 });
      const ended = new Set(rows.filter(({ kind }) => kind === 'outcome').map(({ thread }) => thread));
      return rows.filter((row) => row.kind === 'intent' && row.replica === replica && !ended.has(row.thread));
    };
    await until(
      async () => {
        b.program.pause();
        if ((await open('b')).length > 0) return true;
        b.program.resume();
        return false;
      },
      { what: 'replica b is in the middle of something', timeoutMs: 60_000, everyMs: 7 },
    );
    bLives = false;
    await b.program.kill9();
    await all;
    const tookMs = performance.now() - beganMs;

    // Two replicas look for what was left open, at once. One second is enough: nothing runs any more.
    const sweepers: readonly Program[] = await Promise.all(
      ['c', 'd'].map(async (name) => (await startReplica(name, where, 1_000)).program),
    );
    await until(async () => (await audit.read({ below: null, limit: 1, kind: 'unknown' })).length > 0, {
      what: 'what was left open is unknown',
    });
    for (const { terminate, exited } of [...sweepers, a.program]) {
      terminate();
      expect(await exited).toBe(0);
    }

    const rows: AuditRow[] = [];
    for (;;) {
      const page = await audit.read({ below: rows.at(-1)?.seq ?? null, limit: 500 });
      if (page.length === 0) break;
      rows.push(...page);
    }
    expect(await audit.verify()).toMatchObject({ rows: rows.length, brokenAt: null });
    const after = await stored();
    const written = [...before].filter(([key, was]) => after.get(key) !== was).map(([key]) => key);
    const ofKey = (key: string, kind: AuditRow['kind']) => {
      const action = stage.get(key);
      const subject =
        action === undefined
          ? ''
          : subjectId(subjectsOf(action)[0] ?? { source: 'consul', kind: 'lock', key });
      return rows.filter((row) => row.kind === kind && row.subjects.includes(subject));
    };
    console.log(
      `${actionsMax} actions in ${(tookMs / 1000).toFixed(1)} s: ${rows.length} rows, ${written.length} writes, ` +
        `${acknowledged.size} acknowledged, ${refused} refused, ${cutOff} cut off, ${rows.filter(({ kind }) => kind === 'unknown').length} unknown`,
    );

    // Every write has its intent, and what was acknowledged or recorded as done was written.
    expect(written.filter((key) => ofKey(key, 'intent').length === 0)).toEqual([]);
    expect([...acknowledged].filter((key) => !written.includes(key))).toEqual([]);
    const done = [...stage.keys()].flatMap((key) =>
      ofKey(key, 'outcome').flatMap(({ detail }) => (detail.outcome === 'done' ? [key] : [])),
    );
    expect(done.length).toBe(new Set(done).size);
    expect(done.filter((key) => !written.includes(key))).toEqual([]);
    expect([...acknowledged].filter((key) => !done.includes(key))).toEqual([]);
    // A write without an outcome is one of those that are unknown.
    const unknown = [...stage.keys()].filter((key) => ofKey(key, 'unknown').length > 0);
    expect(written.filter((key) => !done.includes(key) && !unknown.includes(key))).toEqual([]);
    expect(unknown.length).toBeGreaterThan(0);
    // Every intent has one end, and no row is there twice.
    const threads = new Map<string, string[]>();
    for (const { thread, kind } of rows) threads.set(thread, [...(threads.get(thread) ?? []), kind]);
    const wrong = [...threads.values()].filter((kinds) => {
      const ends = kinds.filter((kind) => kind === 'outcome' || kind === 'unknown' || kind === 'refused');
      return ends.length !== 1 || new Set(kinds).size !== kinds.length;
    });
    expect(wrong).toEqual([]);
    await store.close();
  },
  1_800_000,
);
