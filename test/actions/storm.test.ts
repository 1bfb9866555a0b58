/**
 * A storm: 15 contenders on one semaphore, half of them ours and half real `consul lock` processes, while operators
 * evict, prune and resize through the API at random. STORM_SECONDS=300 makes it five minutes; STORM_SEED repeats one.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Expect } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { Problem } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import { editCoordination, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type ActionsCaller, answerAction } from '@/lib/server/actions/actions';
import { createActionRecord } from '@/lib/server/actions/record';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import type { Log } from '@/lib/server/process/log';
import { openStore } from '@/lib/server/store/store';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { type ConsulLock, runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { act, actorOn, contender, entry, expectExact, textOf } from './stage';

const seconds = Number(process.env.STORM_SECONDS ?? 20);
const seed = Number(process.env.STORM_SEED ?? Date.now() % 1e9);
const ours = 8;
const theirs = 7;
const limits = { first: 3, min: 2, max: 5 };
const prefix = 'semaphore/storm';
const key = `${prefix}/.lock`;
/** A list whose only client holds all the time and does nothing: of each try its own. */
let idle = '';
/** Ghosts that the two operators may have made and not yet pruned. */
const ghostsMax = 4;

const consul = await startConsul();
const client = consul.client({ maxCalls: 16, maxPolls: 60 });
const operator = consul.client();
afterAll(async () => {
  await record.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  await consul.stop();
});

/** Mulberry32: the same seed makes the same storm, as far as the machine allows. */
function random(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const figures = {
  evictions: 0,
  prunes: 0,
  resizes: 0,
  acquisitions: { ours: 0, theirs: 0 },
  losses: { ours: 0, theirs: 0 },
  refusals: {} as Record<string, number>,
  limitConflicts: 0,
  writesSeen: 0,
};
/** Whoever was evicted: ids of our sessions, and the names of those of `consul lock`. */
const evicted = new Set<string>();
/** Whoever lost a slot, by the same names. */
const lost: string[] = [];
const faults: string[] = [];
const processes = new Set<ConsulLock>();

const actor = actorOn(operator);
const folder = mkdtempSync(join(tmpdir(), 'signalbox-storm-'));
const store = openStore({ folder });
const audit = createAuditLog({ store, replica: 'storm', now: Date.now });
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (line: unknown) => void faults.push(JSON.stringify(line)),
} as unknown as Log;
/** Follow-ups do not matter here, so each is short. */
const record = createActionRecord({ audit, log, now: Date.now, followMs: 1 });
const caller = {
  identity: { kind: 'anonymous' },
  address: null,
  discreet: <T>(value: T) => value,
  viewpoint: {
    provider: actor,
    hub: {
      snapshot: () => ({
        source: { id: 'consul', state: 'down', lastContactMs: null },
        locks: [],
        semaphores: [],
        sessions: [],
      }),
      subscribe: () => ({ leave: () => undefined }),
    },
  },
} as unknown as ActionsCaller;

async function post<T>(body: unknown): Promise<T | Problem> {
  const request = new Request('http://127.0.0.1:3000/api/v1/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  });
  return (await (
    await answerAction(request, caller, { record, metrics: { acted: () => undefined }, log })
  ).json()) as T | Problem;
}

function refused(problem: Problem): null {
  figures.refusals[problem.code] = (figures.refusals[problem.code] ?? 0) + 1;
  return null;
}

async function planAction(action: Action): Promise<Expect | null> {
  const answer = await post<Planned>({ mode: 'plan', action, reason: '' });
  return 'code' in answer ? refused(answer) : answer.expect;
}

/** `maybe`: told where it is not known whether it was done. */
async function applyAction(
  action: Action,
  expected: Expect,
  maybe: () => void = () => {},
): Promise<Outcome | null> {
  const answer = await post<{ outcome: Outcome }>({
    mode: 'apply',
    action,
    reason: 'storm',
    expect: expected,
  });
  if (!('code' in answer)) return answer.outcome;
  if (answer.code === 'unknown-result') maybe();
  return refused(answer);
}

async function state() {
  const { value } = await operator.get(key, { consistency: 'consistent' });
  return value === null ? null : { row: value, ...readCoordination(value.value) };
}

async function evict(chance: () => number): Promise<void> {
  const holders = (await state())?.holders ?? [];
  const sessionId = holders[Math.floor(chance() * holders.length)];
  if (sessionId === undefined) return;
  const name = (await operator.session(sessionId)).value?.name;
  if (name === undefined) return;
  const how = chance() < 0.6 ? ('destroy-session' as const) : ('slot-only' as const);
  const action: Action = { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how };
  const expected = await planAction(action);
  if (expected === null) return;
  const note = () => void evicted.add(sessionId).add(name);
  if ((await applyAction(action, expected, note)) === null) return;
  figures.evictions++;
  note();
}

/** A holder whose client is gone for good, as a crash between two writes leaves it. */
async function haunt(entry: string): Promise<void> {
  const { value } = await operator.get(entry, { consistency: 'consistent' });
  const coordination = value === null ? null : readCoordination(value.value).coordination;
  if (value === null || coordination === null) return;
  const holders = [...coordination.holders, randomUUID()];
  await operator.cas({
    key: entry,
    value: editCoordination(coordination, { holders }),
    flags: value.flags,
    index: value.modifyIndex,
  });
}

/**
 * Ghosts in the storm, which its contenders prune as well, and in a list without contenders: one plan over both, one
 * outcome for each.
 */
async function prune(): Promise<void> {
  await Promise.all([haunt(key), haunt(`${idle}/.lock`)]);
  const action: Action = { type: 'semaphore.prune', source: 'consul', prefixes: [prefix, idle] };
  const expected = await planAction(action);
  const outcome = expected === null ? null : await applyAction(action, expected);
  for (const { done, problem, detail } of outcome?.parts ?? []) {
    if (problem !== null) refused(problem);
    if (done && detail?.code === 'pruned') figures.prunes++;
  }
}

let resizing = false;

/**
 * Two operators want different limits at the same time and saw the same, so at most one may win: unless a client sets
 * the limit back in between. So there is one such pair at a time, and none counts whose entry was deleted and recreated
 * meanwhile, as the last `consul lock` does that leaves.
 */
async function resize(chance: () => number): Promise<void> {
  const before = await state();
  const now = before?.coordination?.limit;
  if (now === undefined || resizing) return;
  resizing = true;
  const winners = await resizeTwice(now, chance).finally(() => {
    resizing = false;
  });
  figures.resizes += winners;
  const isSame = (await state())?.row.createIndex === before?.row.createIndex;
  if (winners > 1 && isSame) faults.push('two operators who saw the same limit both resized it');
}

/** How many of two were let through. */
async function resizeTwice(now: number, chance: () => number): Promise<number> {
  const others = [2, 3, 4, 5].filter((limit) => limit !== now);
  const start = Math.floor(chance() * others.length);
  const actions = [0, 1].map(
    (i): Action => ({
      type: 'semaphore.resize',
      source: 'consul',
      prefix,
      limit: others[(start + i) % others.length] ?? 3,
    }),
  );
  const plans = await Promise.all(actions.map(planAction));
  const done = await Promise.all(
    actions.map((action, i) => {
      const expected = plans[i];
      return expected == null ? null : applyAction(action, expected);
    }),
  );
  return done.filter((outcome) => outcome !== null).length;
}

async function operate(chance: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(40 + chance() * 260);
    const what = chance();
    if (what < 0.6) await evict(chance);
    else if (what < 0.93) await prune();
    else await resize(chance);
  }
}

/** Takes a slot, works, gives it back, and reports every loss. */
async function contend(id: number, chance: () => number, signal: AbortSignal): Promise<void> {
  const semaphore = new Semaphore(client, {
    prefix,
    limit: 'follow',
    initialLimit: limits.first,
    sessionName: `ours ${id}`,
    sessionTtlMs: 10_000,
    headTimeoutMs: 1_000,
  });
  while (!signal.aborted) {
    try {
      const permit = await semaphore.acquire({ signal, timeoutMs: 20_000 });
      figures.acquisitions.ours++;
      const { sessions } = permit;
      permit.lost.addEventListener('abort', () => {
        figures.losses.ours++;
        lost.push(...sessions);
      });
      await delay(50 + chance() * 600, undefined, { signal: permit.lost }).catch(() => undefined);
      await permit.release();
    } catch (error) {
      // An eviction can hit between the slot and the permit; anything else is a fault of ours.
      const text = String(error);
      if (!signal.aborted && !/Lost|Timeout|session/i.test(text)) faults.push(`ours ${id}: ${text}`);
    }
  }
}

/** The same with `consul lock`, restarted each time with the limit of that moment, as after a redeployment. */
async function contendWithGo(id: number, chance: () => number, signal: AbortSignal): Promise<void> {
  for (let run = 0; !signal.aborted; run++) {
    const n = (await state().catch(() => null))?.limit ?? limits.first;
    const command = `echo began-${id}-${run}; exec sleep ${(0.1 + chance() * 0.9).toFixed(2)}`;
    const child = runConsulLock(consul, { n, prefix, command, args: ['-verbose'] });
    processes.add(child);
    const end = () => child.terminate();
    signal.addEventListener('abort', end, { once: true });
    await child.exited;
    signal.removeEventListener('abort', end);
    processes.delete(child);
    const output = child.output();
    if (output.includes(`began-${id}-${run}`)) figures.acquisitions.theirs++;
    if (output.includes('limit conflict')) figures.limitConflicts++;
    if (/decoding failed|does not match semaphore/.test(output)) faults.push(`consul lock: ${output}`);
    if (output.includes('Lock lost') && !signal.aborted) {
      figures.losses.theirs++;
      lost.push(`Consul lock for '${command}' at '${prefix}'`);
    }
  }
}

/** Looks at every state of the coordination entry that a blocking query catches: flags, shape, and its bounds. */
async function watch(signal: AbortSignal): Promise<void> {
  let index = '0';
  while (!signal.aborted) {
    const reply = await client
      .get(key, { consistency: 'consistent', block: { index, waitMs: 2_000 }, signal })
      .catch(() => null);
    if (reply === null) continue;
    index = reply.index ?? '0';
    const row = reply.value;
    if (row === null) continue;
    figures.writesSeen++;
    const { coordination } = readCoordination(row.value);
    if (row.flags !== semaphoreFlags) faults.push(`flags ${row.flags}`);
    if (coordination?.shape !== 'map' || !/^\{"Limit":\d+,"Holders":\{.*\}\}$/.test(row.value.toString()))
      faults.push(`shape ${row.value}`);
    else if (coordination.holders.length > limits.max + ghostsMax)
      faults.push(`over every limit: ${row.value}`);
  }
}

test(
  `${seconds} s of storm: no holder is lost that was not evicted, and no slot leaks`,
  async () => {
    const storm = new AbortController();
    setMaxListeners(0, storm.signal);
    idle = `semaphore/idle-${randomUUID()}`;
    const resident = await contender(client, idle, { flags: '0' });
    await entry(client, idle, `{"limit":9,"holders":["${resident}"],"by":"hand"}`, '0');
    const work = [
      ...Array.from({ length: ours }, (_, i) => contend(i, random(seed + i), storm.signal)),
      ...Array.from({ length: theirs }, (_, i) => contendWithGo(i, random(seed + 100 + i), storm.signal)),
    ];
    const stop = new AbortController();
    const watched = watch(storm.signal);
    try {
      await until(async () => ((await state())?.holders?.length ?? 0) >= limits.first, {
        what: 'slots are taken',
      });
      const operators = [0, 1].map((i) => operate(random(seed + 200 + i), stop.signal));
      work.push(...operators);
      await delay(seconds * 1000);
      // A machine with other work has not come to all of it by then.
      await until(() => figures.evictions > 0 && figures.prunes > 0 && figures.acquisitions.theirs > theirs, {
        what: 'somebody to be evicted and pruned meanwhile',
        timeoutMs: 60_000,
      });
      stop.abort();
      await Promise.all(operators);
    } finally {
      // Else it continues after a failure, against a Consul that is gone.
      stop.abort();
      storm.abort();
      await Promise.all([...work, watched]);
    }
    console.log(`storm of ${seconds} s, seed ${seed}: ${JSON.stringify(figures)}`);

    expect(faults).toEqual([]);
    expect(lost.filter((name) => !evicted.has(name))).toEqual([]);
    expect(figures.acquisitions.ours).toBeGreaterThan(0);
    // No client is left, so no record may be.
    await until(async () => ((await state())?.holders ?? []).length === 0, { what: 'every slot is free' });
    await expectExact(client, prefix);
    await act(operator, { type: 'semaphore.prune', source: 'consul', prefixes: [idle] }).catch(
      () => undefined,
    );
    expect(await textOf(client, `${idle}/.lock`)).toBe(`{"limit":9,"holders":["${resident}"],"by":"hand"}`);

    const n = (await state())?.limit ?? limits.first;
    const after = runConsulLock(consul, { n, prefix, command: 'echo still-works', args: ['-verbose'] });
    await until(() => after.output().includes('still-works'), { what: 'consul lock works as before' });
    expect(await after.exited).toBe(0);
  },
  (seconds + 300) * 1000,
);
