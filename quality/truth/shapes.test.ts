/**
 * Every odd shape of a coordination entry, before HashiCorp's own client: one that arrives, and one that already holds.
 * Our words and actions for a shape are compared with theirs.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { permission } from '@/lib/domain/actions/action';
import type { Finding } from '@/lib/domain/findings/finding';
import { holder, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import type { Semaphore } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import { findingsOf } from '@/lib/domain/rules/table';
import { languages } from '@/lib/i18n/messages';
import { findingOwner } from '@/lib/i18n/sentences';
import { createActor } from '@/lib/providers/consul/actions/actions';
import { readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Shape, shapes } from '@/quality/truth/shapes';
import { type ConsulLock, runConsulLock, startConsul, stopAll } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
afterAll(stopAll);

const someone = '11111111-2222-4333-8444-555555555555';
const bytesOf = (shape: Shape, id: string) => Buffer.from(shape.value(id));

async function write(prefix: string, value: Buffer): Promise<void> {
  const { value: row } = await client.get(`${prefix}/.lock`);
  const index = row?.modifyIndex ?? '0';
  expect(await client.cas({ key: `${prefix}/.lock`, value, flags: semaphoreFlags, index })).toBe(true);
}

const stored = async (prefix: string) =>
  (await client.get(`${prefix}/.lock`)).value?.value ?? Buffer.alloc(0);
const lock = (prefix: string): ConsulLock => runConsulLock(consul, { n: 3, prefix, command: 'sleep 600' });

/** Resolves with the holder's session when the entry names one whose key is locked under the prefix. */
async function entered(prefix: string): Promise<string> {
  let id: string | undefined;
  await until(
    async () => {
      const { value: rows } = await client.list(`${prefix}/`);
      const { holders } = readCoordination(await stored(prefix));
      id = holders?.find((one) => rows.some(({ session }) => session === one));
      return id !== undefined;
    },
    { what: `a holder of ${prefix}`, timeoutMs: 60_000 },
  );
  return id ?? '';
}

const endings = [
  ['crashes', /panic: assignment to entry in nil map/],
  ['refuses', /semaphore limit conflict/],
  ['fails', /lock decoding failed/],
] as const;

/** The result for a client that arrives. */
async function coming(shape: Shape, prefix: string): Promise<Shape['comes']> {
  await write(prefix, bytesOf(shape, someone));
  const one = lock(prefix);
  const gone = one.exited.then((code) => code ?? -1);
  const first = await Promise.race([gone, entered(prefix).catch(() => null)]);
  if (typeof first === 'string') {
    one.kill9();
    return 'enters';
  }
  // Its output may come after its end.
  const said = () => endings.find(([, pattern]) => pattern.test(one.output()));
  await until(() => said() !== undefined, { what: `why ${shape.title} ended with ${first}` });
  return said()?.[0] ?? 'fails';
}

/** The result for the holders: all entries are overwritten at once, a real eviction last. */
async function holding(some: readonly Shape[], under: string): Promise<ReadonlyMap<Shape, Shape['holds']>> {
  const evicted = { prefix: `${under}/evicted`, one: lock(`${under}/evicted`) };
  const all = some.map((shape, i) => {
    const prefix = `${under}/${i}`;
    return { shape, prefix, one: lock(prefix), code: null as number | null };
  });
  const ids = await Promise.all(all.map(({ prefix }) => entered(prefix)));
  await entered(evicted.prefix);
  for (const one of all) void one.one.exited.then((code) => Object.assign(one, { code: code ?? -1 }));
  for (const [i, { shape, prefix }] of all.entries()) await write(prefix, bytesOf(shape, ids[i] ?? ''));
  await write(evicted.prefix, Buffer.from('{"Limit":3,"Holders":{}}'));
  await evicted.one.exited;
  // Whoever left before that one did so for what was written; those that are to stay have had as long.
  await Promise.all(all.filter(({ shape }) => shape.holds !== 'keeps').map(({ one }) => one.exited));
  const found = new Map<Shape, Shape['holds']>();
  for (const { shape, code } of all)
    found.set(shape, code === null ? 'keeps' : code === 0 ? 'loses' : 'breaks');
  for (const { one } of all) one.kill9();
  return found;
}

/** Each is a process of a hundred megabytes. */
const atOnce = 8;
const batches = Array.from({ length: Math.ceil(shapes.length / atOnce) }, (_, i) =>
  shapes.slice(i * atOnce, (i + 1) * atOnce),
);

describe.each(batches.map((batch, i) => ({ batch, i })))('shapes of an entry, $i', ({ batch, i }) => {
  test('a client that comes does with each what the table says', async () => {
    const found = await Promise.all(batch.map((shape, n) => coming(shape, `comes/${i}/${n}`)));
    expect(batch.map(({ title }, n) => [title, found[n]])).toEqual(
      batch.map(({ title, comes }) => [title, comes]),
    );
  }, 240_000);

  test('a client that holds does with each what the table says', async () => {
    const found = await holding(batch, `holds/${i}`);
    expect(batch.map((shape) => [shape.title, found.get(shape)])).toEqual(
      batch.map(({ title, holds }) => [title, holds]),
    );
  }, 240_000);
});

const deletion = { type: 'semaphore.delete', source: 'consul', prefix: 'jobs' } as const;

/** The semaphore as it is read, with one that waits. */
function judged(shape: Shape): Semaphore {
  const { coordination, limit, holders, problems } = readCoordination(bytesOf(shape, someone));
  // Go's flags refuse a list, which only the flags show.
  const list = coordination?.shape === 'list';
  return semaphore({
    layout: coordination === null ? 'unreadable' : list ? 'guide-list' : 'go-semaphore',
    limit,
    recorded: holders?.length ?? null,
    holders: [...new Set(holders)].map((id) => holder(id, 'ghost')),
    waiters: [waiter('w')],
    problems: list ? [...problems, { code: 'holders-wrong-type', detail: null }] : problems,
  });
}

test.each(shapes)('our judgement of it is its effect on them: $title', (shape) => {
  const one = judged(shape);
  const found = findingsOf(world({ semaphores: [one] })).find(({ code }) => code === 'unreadable-entry');
  expect(found?.severity ?? null).toBe(shape.severity);
  // Slots are shown as free only where a client that comes decodes the entry.
  const showsSlots =
    one.limit !== null && one.limit > 0 && one.recorded !== null && one.layout !== 'guide-list';
  if (shape.comes === 'fails' || shape.comes === 'crashes') expect(showsSlots).toBe(false);
  // The advice can be followed here once the clients are gone, or is marked as manual.
  const left = { ...one, holders: [], waiters: [] };
  const named = found?.code === 'unreadable-entry' ? found.facts.named : 0;
  expect(permission(deletion, world({ semaphores: [left] })).allowed).toBe(named !== null);
  // Only an entry that a client decodes is ever written back.
  const { coordination } = readCoordination(bytesOf(shape, someone));
  if (coordination?.shape === 'map') expect(['enters', 'refuses']).toContain(shape.comes);
});

/** Both languages say so where the console itself can delete it. */
const saysHere = (found: Finding): boolean => {
  const [english, chinese] = [
    /\bhere\b/.test(findingOwner(found, languages.en)),
    /在这里/.test(findingOwner(found, languages.zh)),
  ];
  expect(chinese).toBe(english);
  return english;
};

test('the advice for an entry says "here" exactly where the console deletes it once the clients are gone', async () => {
  const actor = createActor({ client, roots: [''], now: Date.now });
  const compared = [];
  for (const [i, shape] of shapes.entries()) {
    const one = judged(shape);
    const found = findingsOf(world({ semaphores: [one] })).find(({ code }) => code === 'unreadable-entry');
    if (found === undefined) continue;
    const prefix = `advice/${i}`;
    // The session that it names does not exist, and nothing contends.
    await write(prefix, bytesOf(shape, someone));
    const planned = await actor.plan({ ...deletion, prefix }, AbortSignal.timeout(30_000));
    if (isProblem(planned)) expect(planned.code).toBe('conflict-in-use');
    compared.push({ title: shape.title, here: saysHere(found), allowed: !isProblem(planned) });
  }
  expect(compared.filter(({ here, allowed }) => here !== allowed)).toEqual([]);
  // Both kinds were seen.
  expect(new Set(compared.map(({ here }) => here)).size).toBe(2);
}, 120_000);
