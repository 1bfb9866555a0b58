/** One situation is one finding for every reader, on a real Consul. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { calmMs, momentMs } from '@/lib/domain/rules/easing';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { act } from '@/test/actions/stage';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type FindingLog, readers, startFindingLog } from './finding-log';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

const prefix = 'one/finding';
let consul: TestConsul;
let served: Served;
let log: FindingLog;

beforeEach(async () => {
  consul = await startConsul();
});
afterEach(async () => {
  await log.end();
  await served.stop();
  await consul.stop();
});

async function watch() {
  served = await serve(consul);
  await whenLive();
  log = await startFindingLog(served);
}

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://${consul.address}/v1/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return response.json() as Promise<unknown>;
};

/** A session with its contender entry. */
async function contender(node?: string): Promise<string> {
  const facts = {
    Name: 'c',
    TTL: '600s',
    Behavior: 'delete',
    NodeChecks: [],
    ...(node ? { Node: node } : {}),
  };
  const { ID } = (await send('PUT', 'session/create', facts)) as { ID: string };
  expect(await send('PUT', `kv/${prefix}/${ID}?acquire=${ID}&flags=${semaphoreFlags}`, {})).toBe(true);
  return ID;
}

const record = async (...holders: string[]) =>
  expect(
    await send('PUT', `kv/${prefix}/.lock?flags=${semaphoreFlags}`, {
      Limit: 1,
      Holders: Object.fromEntries(holders.map((id) => [id, true])),
    }),
  ).toBe(true);
const semaphoreNow = () => log.snapshot?.semaphores.find((one) => one.prefix === prefix);
const waits = (n: number) =>
  until(() => semaphoreNow()?.waiters.length === n, { what: `${n} that wait, on the stream` });
const saidBy = (code: Parameters<FindingLog['said']>[1]) => readers.map((reader) => log.said(reader, code));

test('waiters that come and go behind a suspect holder are one finding in the list, the stream and the metrics: urgent at once, a warning late', async () => {
  const far = await startConsul({ beside: consul, nodeName: 'far-node' });
  await until(async () => JSON.stringify(await send('GET', 'catalog/nodes')).includes('far-node'), {
    what: 'the node',
  });
  await record(await contender('far-node'));
  await watch();
  await far.kill();
  await until(() => saidBy('suspect-holder').every((said) => said.at(-1) === 'warning'), {
    what: 'a warning for every reader',
    timeoutMs: 60_000,
  });
  for (let n = 0; n < 15; n += 1) {
    const waiter = await contender();
    await waits(1);
    if (n === 0)
      await until(() => saidBy('suspect-holder').every((said) => said.at(-1) === 'urgent'), {
        what: 'an urgent finding for every reader',
      });
    await send('PUT', `session/destroy/${waiter}`);
    await waits(0);
  }
  const lastLeftAtMs = Date.now();
  expect(saidBy('suspect-holder')).toEqual(readers.map(() => ['warning', 'urgent']));
  await until(() => saidBy('suspect-holder').every((said) => said.at(-1) === 'warning'), {
    what: 'a warning again for every reader',
    timeoutMs: calmMs + 15_000,
  });
  expect(Date.now() - lastLeftAtMs).toBeGreaterThan(calmMs - 2_000);
  expect(saidBy('suspect-holder')).toEqual(readers.map(() => ['warning', 'urgent', 'warning']));
  expect(log.codes).toEqual(['suspect-holder']);
}, 180_000);

/** How long a ghost was in the stream's rows, each time. */
function ghostSpansMs(): number[] {
  const spans: number[] = [];
  let sinceMs: number | null = null;
  for (const { semaphores, asOfMs } of log.all) {
    const has = semaphores.some(({ holders }) => holders.some(({ verdict }) => verdict === 'ghost'));
    if (has) sinceMs ??= asOfMs;
    else if (sinceMs !== null) {
      spans.push(asOfMs - sinceMs);
      sinceMs = null;
    }
  }
  return spans;
}

test('a momentary ghost, by an eviction or by a client that died, is no finding; a lasting one is one for every reader', async () => {
  let holder = await contender();
  await record(holder);
  await watch();
  await waits(0);
  const ghostIsSeen = () =>
    until(() => semaphoreNow()?.holders.some(({ verdict }) => verdict === 'ghost'), {
      what: 'the ghost, in its row',
    });
  for (let n = 0; n < 8; n += 1) {
    const next = await contender();
    await waits(1);
    if (n % 2 === 0)
      await act(consul.client(), {
        type: 'semaphore.evict',
        source: 'consul',
        prefix,
        sessionId: holder,
        how: 'destroy-session',
      });
    else {
      await send('PUT', `session/destroy/${holder}`);
      await ghostIsSeen();
    }
    // As a waiter that prunes does.
    await record(next);
    await until(() => semaphoreNow()?.holders[0]?.sessionId === next, { what: 'the next one holds' });
    await waits(0);
    holder = next;
  }
  const spans = ghostSpansMs();
  expect(spans.length).toBeGreaterThanOrEqual(4);
  // On a machine that stalls, a ghost of a moment lasts.
  const lasted = spans.filter((ms) => ms >= momentMs).length;
  expect(lasted).toBeLessThan(spans.length);
  if (lasted === 0) expect(saidBy('ghost-slots')).toEqual([[], [], []]);
  const before = saidBy('ghost-slots').map((said) => said.length);

  await contender();
  await waits(1);
  await send('PUT', `session/destroy/${holder}`);
  await ghostIsSeen();
  await until(() => saidBy('ghost-slots').every((said, n) => said.length > (before[n] ?? 0)), {
    what: 'an urgent finding for every reader',
  });
  expect(saidBy('ghost-slots').every((said) => said.at(-1) === 'urgent')).toBe(true);
}, 120_000);
