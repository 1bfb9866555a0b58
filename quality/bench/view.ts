/** One changed row among many, from parsed rows to the patch, in this process alone. */

import { createFindingChanges, findingsOf } from '@/lib/domain/rules/table';
import type { SourceState } from '@/lib/domain/source-state';
import { stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import {
  type CheckRow,
  type KvRow,
  readRows,
  type SessionRow,
  writeJson,
} from '@/lib/providers/consul/client/wire';
import { type Observed, observe } from '@/lib/providers/consul/observed/sightings';
import { createRecogniser } from '@/lib/providers/consul/recognise/recognise';
import { createRenewals } from '@/lib/providers/consul/renewals/renewals';
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { keepRows } from '@/lib/providers/consul/watch/readings';
import { atMost, type Bench, bytes, type Figure, ms, plainFigure, quantile } from './figure';

/** Sessions grow with the rows: 2,000 for 50,000. */
const sessionsFor = (size: number) => Math.max(40, Math.round(size / 25));
const turns = 60;
const fewRows = 100;
const source = { provider: 'consul', state: 'live' } as SourceState;

const idOf = (n: number) => `${(n + 0x10000000).toString(16)}-1111-2222-3333-${`${n}`.padStart(12, '0')}`;

/** An entry as `readJson` gives it, with inexact flags as text. */
interface Raw {
  readonly LockIndex: number;
  readonly Key: string;
  readonly Flags: string;
  readonly Value: string;
  readonly Session?: string;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

/** A third locks, a third semaphores of three holders and six waiters, and a third other keys. */
function rowsOf(size: number): Raw[] {
  const sessionsMax = sessionsFor(size);
  const rows: Raw[] = [];
  const add = (key: string, value: string | Buffer, more: Partial<Raw> = {}) => {
    const index = 1_000 + rows.length;
    rows.push({
      LockIndex: 0,
      Key: key,
      Flags: '0',
      Value: Buffer.from(value).toString('base64'),
      CreateIndex: index,
      ModifyIndex: index,
      ...more,
    });
  };
  const third = Math.floor(size / 3);
  for (let i = 0; i < third; i += 1) {
    add(`locks/service-${i % 100}/task-${i}`, `{"owner":"host-${i}","pid":${i}}`, {
      ...(i % 4 === 0 ? {} : { Session: idOf(i % sessionsMax) }),
      LockIndex: 3,
    });
  }
  for (let i = 0; i < third / 10; i += 1) {
    // Holders and waiters differ, as nearly everywhere.
    const holders = [0, 1, 2].map((n) => idOf((i * 3 + n) % (sessionsMax / 2)));
    const waiters = [0, 1, 2, 3, 4, 5].map((n) => idOf(sessionsMax / 2 + ((i * 6 + n) % (sessionsMax / 2))));
    const prefix = `semaphores/group-${i % 100}/job-${i}`;
    add(`${prefix}/.lock`, newCoordination('map', 3, holders), { Flags: semaphoreFlags });
    for (const session of [...holders, ...waiters])
      add(`${prefix}/${session}`, `{"owner":"host-${session.slice(0, 8)}"}`, {
        Session: session,
        Flags: semaphoreFlags,
        LockIndex: 1,
      });
  }
  for (let i = 0; i < third; i += 1) add(`settings/app-${i % 50}/${i}`, `a setting with the number ${i}`);
  return rows.sort((a, b) => (a.Key < b.Key ? -1 : 1));
}

const sessionsOf = (size: number): readonly SessionRow[] =>
  Array.from({ length: sessionsFor(size) }, (_, n) => ({
    id: idOf(n),
    name: `worker-${n}`,
    node: `node-${n % 20}`,
    ttlMs: n % 3 === 0 ? null : 15_000,
    behavior: 'release',
    lockDelayMs: 15_000,
    checkIds: ['serfHealth'],
    createIndex: String(n),
  }));
const checks: readonly CheckRow[] = Array.from({ length: 20 }, (_, n) => ({
  node: `node-${n}`,
  checkId: 'serfHealth',
  name: 'Serf Health Status',
  status: 'passing',
  service: '',
}));

/** The state of a watch from view to view, up to the hub's patch. */
function createPipeline(sessions: readonly SessionRow[]) {
  const renewals = createRenewals(['agent'], 'agent');
  renewals.watched({ agent: 'agent', state: 'observed', sinceMs: 1 });
  const recognise = createRecogniser();
  const findingChanges = createFindingChanges();
  let rows: readonly KvRow[] | null = null;
  let observed: Observed | null = null;
  let snapshot: Snapshot = {
    version: 0,
    asOfMs: 0,
    source,
    locks: [],
    semaphores: [],
    sessions: [],
    findings: [],
  };
  renewals.keep(sessions, 1_000);
  for (const { id } of sessions) renewals.saw('agent', id, 1_000);
  return {
    renewals,
    /** Made as for a request for a snapshot. */
    findings: () => findingsOf(snapshot),
    take: (parsed: readonly Raw[], nowMs: number) => {
      rows = keepRows(rows, readRows(parsed, rows ?? [])).rows;
      const look = { rows, rowsIndexes: ['9'], sessions, sessionsIndex: '9', nowMs };
      observed = observe(observed, { ...look, afterGap: observed === null });
      renewals.keep(sessions, nowMs);
      const view = { rows, roots: [''], sessions, checks, sightings: observed, renewals, nowMs };
      const world = recognise(view);
      renewals.wakeAtMs(nowMs);
      const next = { ...world, source, findings: [], version: snapshot.version + 1, asOfMs: nowMs };
      const patch = stepOf(snapshot, next, findingChanges(world))?.patch ?? null;
      snapshot = next;
      return patch;
    },
  };
}

function heap(): number {
  for (let i = 0; i < 3; i += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

/** `madeMs`: the time to make all findings. */
function measure(size: number): { figures: Figure[]; firstMs: number; madeMs: number } {
  const emptyHeap = heap();
  let read: readonly Raw[] = rowsOf(size);
  const json = writeJson(read).toString();
  const sessions = sessionsOf(size);
  const pipeline = createPipeline(sessions);
  const began = performance.now();
  pipeline.take(read, 2_000);
  const firstMs = performance.now() - began;
  const ours: number[] = [];
  const bare: number[] = [];
  const patchBytes: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const changedAt = (turn * 7_919) % size;
    // New objects as from the wire, of which one differs.
    read = read.map((row, i) => ({
      ...row,
      ...(i === changedAt ? { ModifyIndex: 1e6 + turn, LockIndex: turn } : {}),
    }));
    const nowMs = 2_000 + turn * 10;
    // Every other turn, a session has renewed meanwhile.
    if (turn % 2 === 0) pipeline.renewals.saw('agent', idOf(turn % sessions.length), nowMs);
    const parsed = performance.now();
    JSON.parse(json);
    const parsedMs = performance.now();
    const patch = pipeline.take(read, nowMs);
    const doneMs = performance.now();
    bare.push(parsedMs - parsed);
    ours.push(doneMs - parsedMs);
    if (patch !== null) patchBytes.push(Buffer.byteLength(JSON.stringify(patch)));
  }
  const madeMs = quantile(
    Array.from({ length: 5 }, () => {
      const beganMs = performance.now();
      pipeline.findings();
      return performance.now() - beganMs;
    }),
    0.5,
  );
  read = [];
  const kept = heap() - emptyHeap - json.length;
  const name = `${size.toLocaleString('en')} rows`;
  const half = { ours: quantile(ours, 0.5), compared: quantile(bare, 0.5) };
  return {
    firstMs,
    madeMs,
    figures: [
      atMost(`${name}: from the parsed rows to the patch, median`, { ...half, max: 0.5, show: ms }),
      atMost(`${name}: memory kept, all told`, { ours: kept, compared: json.length, max: 6, show: bytes }),
      plainFigure(`${name}: the patch, median`, {
        ours: quantile(patchBytes, 0.5),
        compared: json.length,
        show: bytes,
      }),
    ],
  };
}

export const bench: Bench = {
  title: 'Views: one changed row among many',
  about:
    'In one process, without Consul: rows are given as `JSON.parse` makes them (all new objects, one of which differs), and taken through everything that happens until the patch is there: comparing with what was read before, sightings, recognition, findings, difference. A third are locks, a third semaphores of three holders and six waiters, a third nobody’s; a session for every 25 rows, two thirds of them with a TTL. Beside it, turn about: `JSON.parse` of the same rows, which happens before all this as well, so that half of it keeps both within one and a half; and the size of their JSON for memory.',
  excluded: `What ${fewRows} rows load and compile. The first view of each size, told below the table.`,
  run: async ({ say }) => {
    const figures: Figure[] = [];
    const notes = [
      'Memory is the rows themselves, the world as it is sent, and what keeps all of it up; the share of each is in `docs/decisions/0032`. Findings are not kept: the patch has what changes in them, and a reader who asks gets all of them.',
    ];
    measure(fewRows);
    for (const size of [1_000, 10_000, 50_000]) {
      say(`${size} rows`);
      const measured = measure(size);
      figures.push(...measured.figures);
      notes.push(
        `The first view of ${size.toLocaleString('en')} rows, made from nothing, took ${ms(measured.firstMs)}; all its findings for one who asks ${ms(measured.madeMs)}.`,
      );
    }
    return { compared: 'JSON.parse, or the JSON', figures, notes };
  },
};
