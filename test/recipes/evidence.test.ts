/** When the holder of a slot learns that it is not its own any more, on a real Consul. */
import { afterAll, describe, expect, test } from 'vitest';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { editCoordination, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Clock, systemClock } from '@/packages/locks/src/clock';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore, type SemaphoreOptions } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { lockRow, recorded, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Renewed in twelve hours: no loss within a test is noticed by that. */
const rarely = { sessionTtlMs: 86_400_000 };

interface Watched {
  readonly beganMs: number;
  /** How it ended: `null` while it has not. */
  end: { readonly atMs: number; readonly failed: boolean } | null;
}

/** A client that remembers when it read all of a semaphore, as of which index it has its entry, and each write of it. */
function watching(client: ConsulClient) {
  const reads: Watched[] = [];
  const writes: string[] = [];
  const seen = { index: '', brokenOff: 0 };
  const own: ConsulClient = {
    ...client,
    get: async (key, options) => {
      try {
        const reply = await client.get(key, options);
        seen.index = reply.value?.modifyIndex ?? '';
        return reply;
      } finally {
        if (options?.signal?.aborted) seen.brokenOff += 1;
      }
    },
    cas: (entry, options) => {
      writes.push('cas');
      return client.cas(entry, options);
    },
    txn: (ops, options) => {
      writes.push('txn');
      return client.txn(ops, options);
    },
    list: async (prefix, options) => {
      const read: Watched = { beganMs: performance.now(), end: null };
      reads.push(read);
      let failed = true;
      try {
        const reply = await client.list(prefix, options);
        failed = false;
        return reply;
      } finally {
        read.end = { atMs: performance.now(), failed };
      }
    },
  };
  const watches = () => reads.some(({ end }) => end === null);
  return { own, reads, watches, writes, seen };
}

/** One that holds, for so long that it watches all of the semaphore; `reads` begin with that. */
async function longHold(from: ConsulClient, prefix: string, patience: Partial<SemaphoreOptions> = {}) {
  const { own, ...watched } = watching(from);
  const { reads, watches } = watched;
  const held = await new Semaphore(own, {
    prefix,
    limit: 4,
    owner: prefix,
    ...rarely,
    ...patience,
  }).acquire();
  reads.length = 0;
  await until(watches, { what: 'it watches all of the semaphore' });
  return { held, ...watched };
}

/**
 * A holder that has read the whole semaphore once others came, and by its clock never reads it again: from here on it
 * learns only between two reads of all.
 */
async function betweenReads(prefix: string) {
  let stoppedMs: number | null = null;
  const clock: Clock = { ...systemClock, monotonicMs: () => stoppedMs ?? systemClock.monotonicMs() };
  const one = await longHold(client, prefix, { clock });
  stoppedMs = systemClock.monotonicMs();
  const other = await new Semaphore(client, { prefix, limit: 4, owner: prefix }).acquire();
  await until(() => one.reads.length > 0 && !one.watches(), { what: 'it has read all of it' });
  return { ...one, other, readAll: one.reads.length };
}

describe.concurrent('the holder of a slot', () => {
  test('notices that its session was ended, though no client wants the slot, and gives the rest back', async () => {
    for (const [permits, shape] of [
      [1, 'map'],
      [3, 'map'],
      [1, 'list'],
    ] as const) {
      const prefix = `evidence/ended-${permits}-${shape}`;
      const semaphore = new Semaphore(client, { prefix, limit: 3, layout: shape, owner: prefix, ...rarely });
      const held = await semaphore.acquire({ permits });
      await client.destroySession(held.sessions.at(-1) ?? '');
      await until(() => held.lost.aborted, { what: 'it learns of it' });
      expect(lostReason(held.lost)).toBe('session-invalidated');
      await nothingLeft(prefix);
    }
  });

  test('learns that its entry was deleted while its session lives', async () => {
    const prefix = 'evidence/deleted';
    const { held } = await longHold(client, prefix);
    await client.deleteCas(
      `${prefix}/${held.sessions[0]}`,
      (await client.get(`${prefix}/${held.sessions[0]}`)).value?.modifyIndex ?? '',
    );
    await until(() => held.lost.aborted, { what: 'it learns of it' });
    expect(lostReason(held.lost)).toBe('force-released');
    await nothingLeft(prefix);
  });

  test('learns that it was taken out of the holders, in the first second and after', async () => {
    for (const long of [false, true]) {
      const prefix = `evidence/pruned-${long}`;
      const held = long
        ? (await longHold(client, prefix)).held
        : await new Semaphore(client, { prefix, limit: 4, owner: prefix, ...rarely }).acquire();
      const row = await lockRow(prefix);
      const { coordination } = readCoordination(row?.value ?? Buffer.alloc(0));
      if (row === null || coordination === null) throw new Error('Nobody holds it.');
      const value = editCoordination(coordination, { holders: [] });
      const { key, flags, modifyIndex: index } = row;
      expect(await client.cas({ key, value, flags, index })).toBe(true);
      await until(() => held.lost.aborted, { what: 'it learns of it' });
      expect(lostReason(held.lost)).toBe('force-released');
      await nothingLeft(prefix);
    }
  });

  test('with a lease, which is never renewed, notices that its session was ended', async () => {
    const prefix = 'evidence/lease';
    const held = await new Semaphore(client, { prefix, limit: 1, owner: prefix }).acquire({
      leaseMs: 3_600_000,
    });
    await client.destroySession(held.sessions[0] ?? '');
    await until(() => held.lost.aborted, { what: 'it learns of it' });
    expect(lostReason(held.lost)).toBe('session-invalidated');
    await nothingLeft(prefix);
  });

  test('keeps it while the agent is away for a moment, and learns of a loss after that; not past its patience', async () => {
    const prefix = 'evidence/away';
    const proxy = await startFaultProxy(consul.address);
    const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
    const patient = { monitorRetries: 100, monitorRetryMs: 100 };
    const first = await longHold(through, prefix, patient);
    const hasty = await longHold(through, prefix, { ...patient, monitorRetries: 2 });
    proxy.refuse();
    // Before and after: more than it needs to be sure that what failed was a read of the watch.
    await until(() => first.reads.filter(({ end }) => end?.failed).length > 1, { what: 'its reads fail' });
    await until(() => hasty.held.lost.aborted, { what: 'the one with less patience gives up' });
    expect(lostReason(hasty.held.lost)).toBe('monitor-failed');
    proxy.accept();
    await until(first.watches, { what: 'it watches again' });
    expect(lostReason(first.held.lost)).toBeNull();
    expect(await recorded(prefix)).toContain(first.held.sessions[0]);
    await client.destroySession(first.held.sessions[0] ?? '');
    await until(() => first.held.lost.aborted, { what: 'it learns of the loss' });
    expect(lostReason(first.held.lost)).toBe('session-invalidated');
    await client.destroySession(hasty.held.sessions[0] ?? '');
    through.close();
    await proxy.close();
  });

  test('rests between its reads while others come and go, and still learns of a loss', async () => {
    const prefix = 'evidence/busy';
    const { held, reads } = await longHold(client, prefix);
    const others = new Semaphore(client, { prefix, limit: 4, owner: prefix });
    let over = false;
    const busy = (async () => {
      while (!over) await others.run(async () => {});
    })();
    await until(() => reads.filter(({ end }) => end !== null).length > 4, { what: 'it has read some times' });
    await client.destroySession(held.sessions[0] ?? '');
    await until(() => held.lost.aborted, { what: 'it learns of it' });
    over = true;
    await busy;
    const rests = reads.slice(1).map(({ beganMs }, n) => beganMs - (reads[n]?.end?.atMs ?? 0));
    // A timer is never early, but for what it is rounded by.
    expect(Math.min(...rests)).toBeGreaterThan(248);
    await nothingLeft(prefix);
  });

  test('learns between its reads of all, too, that it was taken out of the holders', async () => {
    const prefix = 'evidence/taken-between';
    const { held, other, reads, readAll } = await betweenReads(prefix);
    const row = await lockRow(prefix);
    const { coordination } = readCoordination(row?.value ?? Buffer.alloc(0));
    if (row === null || coordination === null) throw new Error('Nobody holds it.');
    const value = editCoordination(coordination, { holders: other.sessions });
    const { key, flags, modifyIndex: index } = row;
    expect(await client.cas({ key, value, flags, index })).toBe(true);
    await until(() => held.lost.aborted, { what: 'it learns of it' });
    expect(lostReason(held.lost)).toBe('force-released');
    expect(reads).toHaveLength(readAll);
    await other.release();
    await nothingLeft(prefix);
  });

  test('gives its slot back in one write, and breaks off no query, though others came between its reads of all', async () => {
    const prefix = 'evidence/one-write';
    const { held, other, reads, readAll, seen, writes } = await betweenReads(prefix);
    const another = await new Semaphore(client, { prefix, limit: 4, owner: prefix }).acquire();
    const last = (await lockRow(prefix))?.modifyIndex;
    await until(() => seen.index === last, { what: 'it has the entry as it is' });
    writes.length = 0;
    await held.release();
    expect(writes).toEqual(['txn']);
    // Its query is answered by that write, and its connection stays.
    expect(seen.brokenOff).toBe(0);
    expect(reads).toHaveLength(readAll);
    expect(await recorded(prefix)).toEqual([...other.sessions, ...another.sessions]);
    await Promise.all([other.release(), another.release()]);
    await nothingLeft(prefix);
  });

  test('reads the semaphore only once it has held for a while, and nothing of it after its release', async () => {
    const prefix = 'evidence/over';
    const { own, reads } = watching(client);
    const semaphore = new Semaphore(own, { prefix, limit: 4, owner: prefix });
    const short = await semaphore.acquire();
    const looked = reads.length;
    await short.release();
    const { held, reads: watched, watches } = await longHold(client, prefix);
    expect(reads).toHaveLength(looked);
    await held.release();
    await until(() => !watches(), { what: 'its query is over' });
    // While it rests, too.
    const resting = await longHold(client, prefix);
    const rests = async () => {
      await (await semaphore.acquire()).release();
      return !resting.watches();
    };
    await until(rests, { what: 'it rests' });
    await resting.held.release();
    const known = [watched.length, resting.reads.length];
    // Longer than a rest, and a change that would wake it.
    await longHold(client, prefix).then((later) => later.held.release());
    expect([watched.length, resting.reads.length]).toEqual(known);
    expect(lostReason(held.lost)).toBeNull();
    expect(lostReason(resting.held.lost)).toBeNull();
    await nothingLeft(prefix);
  });

  test('notices it while others want it: session destroyed, slot taken; the rest is given back', async () => {
    const prefix = 'r/lost';
    const sem = new Semaphore(client, { prefix, limit: 4, owner: prefix });
    const destroyed = await sem.acquire({ permits: 2 });
    const evicted = await sem.acquire();
    const token = evicted.fencingToken;
    expect(token).toBeGreaterThan(destroyed.fencingToken);
    const waiting = sem.acquire({ permits: 2 });
    await until(async () => (await sem.queueLength()) === 2, { what: 'another waits' });
    await client.destroySession(destroyed.sessions[0] ?? '');
    await until(() => destroyed.lost.aborted, { what: 'the destroyed one learns of it' });
    expect(lostReason(destroyed.lost)).toBe('session-invalidated');
    const next = await waiting;
    // The destroyed one gives back its other slot at the same time, so the entry may move in between.
    await until(
      async () => {
        const row = await lockRow(prefix);
        return client.cas({
          key: `${prefix}/.lock`,
          value: Buffer.from(
            JSON.stringify({ Limit: 4, Holders: Object.fromEntries(next.sessions.map((s) => [s, true])) }),
          ),
          flags: semaphoreFlags,
          index: row?.modifyIndex ?? '',
        });
      },
      { what: 'the write that evicts' },
    );
    await until(() => evicted.lost.aborted, { what: 'the evicted one learns of it' });
    expect(lostReason(evicted.lost)).toBe('force-released');
    expect(lostReason(next.lost)).toBeNull();
    await Promise.all([destroyed.release(), evicted.release(), next.release()]);
    await nothingLeft(prefix);
  });

  test('keeps it in an outage of its first second that is shorter than its patience, and loses it in a longer one', async () => {
    const proxy = await startFaultProxy(consul.address);
    const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
    const options = {
      prefix: 'r/outage',
      owner: 'r/outage',
      limit: 2,
      monitorRetries: 8,
      // Far more in all than the outage lasts, also where a pause takes longer than it should.
      monitorRetryMs: 1_000,
    };
    const sem = new Semaphore(through, options);
    const held = await sem.acquire();
    proxy.refuse();
    await pause(1_500);
    proxy.accept();
    const holders = await until(async () => (await sem.holders()).map((h) => h.session), {
      what: 'an answer',
    });
    expect(holders).toEqual(held.sessions);
    // By then it has asked again.
    await pause(2_500);
    expect(lostReason(held.lost)).toBeNull();
    proxy.refuse();
    await until(() => held.lost.aborted, { what: 'it gives up' });
    expect(lostReason(held.lost)).toBe('monitor-failed');
    proxy.accept();
    await held.release();
    through.close();
    await proxy.close();
  });
});
