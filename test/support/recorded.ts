/** The records that refused actions leave, in a store of the test file's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import type { ActionsCaller, ActionsRuntime } from '@/lib/server/actions/actions';
import { type ActionRecord, type ActionRecordOptions, createActionRecord } from '@/lib/server/actions/record';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { createLimits } from '@/lib/server/http/limits';
import { createSeal } from '@/lib/server/identity/seal';
import type { Runtime } from '@/lib/server/runtime';
import { openStore } from '@/lib/server/store/store';

export const action = {
  type: 'semaphore.resize',
  source: 'consul',
  prefix: 'semaphore/a',
  limit: 3,
} as const;
export const expected = {
  entries: [{ key: 'semaphore/a/.lock', modifyIndex: '81', createIndex: '80', session: null, seen: '2' }],
  sessions: [],
};
export const planBody = { mode: 'plan', action, reason: '' };
export const applyBody = { mode: 'apply', action, reason: 'more workers', expect: expected };
export const ann = { kind: 'token', id: 'a-1', name: 'Ann' } as const;

export function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://127.0.0.1:3000/api/v1/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', host: '127.0.0.1:3000', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Opens it for the tests of this file, each of which has a record of its own. Call it at the top. */
export function openRecorded({ budget }: Pick<ActionRecordOptions, 'budget'> = {}) {
  const acted = vi.fn<ActionsRuntime['metrics']['acted']>();
  const lines: Record<string, unknown>[] = [];
  const note = (line: Record<string, unknown>) => void lines.push(line);
  const log = { info: note, warn: note, error: note } as unknown as ActionsRuntime['log'] & Runtime['log'];
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-actions-'));
  const store = openStore({ folder });
  const audit = createAuditLog({ store, replica: 'here', now: Date.now });
  let record: ActionRecord;
  /** Rows with a higher number are of this test. */
  let floor = 0;
  /** A view that shows nothing, so that nothing is seen to follow. */
  const hub = {
    snapshot: () => ({
      source: { id: 'consul', state: 'down', lastContactMs: null },
      locks: [],
      semaphores: [],
      sessions: [],
    }),
    subscribe: () => ({ leave: () => {} }),
  } as unknown as ActionsCaller['viewpoint']['hub'];

  beforeEach(async () => {
    floor = (await audit.read({ below: null, limit: 1 }))[0]?.seq ?? 0;
    record = createActionRecord({
      audit,
      log,
      now: Date.now,
      followMs: 10,
      ...(budget === undefined ? {} : { budget }),
    });
  });
  afterEach(async () => {
    await record.close();
    vi.resetAllMocks();
    lines.length = 0;
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  return {
    audit,
    lines,
    /** The server's parts that actions need. */
    runtime: () => ({ record, metrics: { acted }, log }),
    acted,
    /** Rows that this test has written, oldest first. */
    rows: async () => {
      await record.close();
      const read = await audit.read({ below: null, limit: 100 });
      return read.filter(({ seq }) => seq > floor).reverse();
    },
    /** Ann, in front of this provider. */
    caller: (provider: ActionsCaller['viewpoint']['provider']): ActionsCaller => ({
      identity: ann,
      address: '192.0.2.7',
      discreet: (value) => value,
      viewpoint: { provider, hub },
    }),
    /** The server's question about a refused caller. */
    turnedAway: (address: string | null) =>
      ({
        arrivals: () => ({ address, secure: false, person: null }),
        seal: createSeal(['a key of the server']),
        limits: createLimits(),
        record,
        metrics: { acted },
      }) as unknown as Runtime,
  };
}
