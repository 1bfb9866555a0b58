/** Holders: the meaning of an existing session, of a silent one, and of one that cannot end. */

import { shortId } from '@/lib/domain/model';
import { formatDuration } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any, many } from '@/quality/truth/text';

/** Without a seen renewal no end is known, and a countdown would be invented. */
const noEnd = (w: AllMessages) => [
  w.subject.lock.bound.observed(any),
  w.expiry.observed(any),
  w.renewals.ends(any, any, 'renewal'),
];

/** A server's node is not the holder's machine. */
const endsWithItsMachine = (w: AllMessages) => [
  w.expiry.withNode,
  w.meanings['node-bound'],
  w.subject.lock.held('node-bound', any, null),
  ...[1, many].flatMap((n) => w.subject.semaphore.doubtful['node-bound']?.(n) ?? []),
  w.reports['endless-holder']({
    holders: 1,
    verdict: 'node-bound',
    label: any,
    node: any,
    onServer: 0,
    waiting: 0,
    holds: 'session',
  }),
];

const heldLock = async (stage: Stage, key: string, options: Parameters<Stage['session']>[0]) => {
  const id = await stage.session(options);
  await stage.lock(key, id, { flags: lockFlags });
  return { subject: lockAt(key), id };
};

const killed = (stage: Stage) =>
  stage.once('killed holder', async () => {
    const prefix = 'truth/killed';
    const holder = await stage.process({ n: 2, prefix });
    const second = await stage.process({ n: 2, prefix });
    const waiter = await stage.process({ n: 2, prefix });
    await stage.rowsWhen(`${prefix}/`, 'three contenders', (rows) => rows.length === 4);
    holder.process.kill9();
    await holder.process.exited;
    return { subject: semaphoreAt(prefix), id: holder.id, second: second.id, waiter: waiter.id };
  });

export const holders: readonly Situation[] = [
  situation({
    title: 'a lock whose process is alive (consul lock -n=1)',
    knows: 'the session that locks the key, its TTL, its node',
    says: 'alive, with the longest time until Consul would free it',
    mustNot: 'that nobody waits for it',
    make: async (stage) => {
      const { id } = await stage.process({ n: 1, prefix: 'truth/plain' });
      await stage.rowsWhen('truth/plain/', 'the lock', (rows) => rows.some((row) => row.session === id));
      return { subject: lockAt('truth/plain/.lock'), id };
    },
    api: ({ id }) => ({
      row: {
        state: 'held',
        layout: 'consul-lock',
        waiters: null,
        holder: { sessionId: id, label: 'sleep 600' },
      },
      verdicts: { [id]: 'alive' },
      evidence: ['session-exists', 'holds-entry', 'ttl', 'node-passing'],
    }),
    screen: (_, w) => ({ has: [w.verdicts.alive.word, w.subject.lock.waiters], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['unknown'],
      states: ['free'],
      texts: [w.subject.none.waiters, w.board.waitingLong(0)],
    }),
  }),
  situation({
    title: 'a holder is killed with -9, and its TTL is not over',
    when: 'first',
    knows: 'its session and its slot, as before: Consul has noticed nothing',
    says: 'that it holds, and that Consul takes two TTLs to free it',
    mustNot: 'that it is dead, a ghost, or that its slot is free',
    make: killed,
    api: ({ second, waiter }) => ({
      row: { limit: 2, recorded: 2, effective: 2, waiters: [{ sessionId: waiter }] },
      verdicts: { [second]: 'alive', [waiter]: 'alive' },
      evidence: ['session-exists', 'holds-entry'],
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(2, 2, 2, 1)], lamps: { free: 0 } }),
    never: () => ({
      verdicts: ['ghost', 'suspect', 'unknown'],
      evidence: ['session-not-listed'],
      findings: ['ghost-slots'],
      rows: [{ recorded: 1 }, { effective: 1 }],
    }),
  }),
  situation({
    title: 'a holder was killed with -9, and Consul has ended its session',
    when: 'last',
    knows: 'that the session is gone and who holds the slot now',
    says: 'that the waiter has the slot',
    mustNot: 'that anything leaks or is still held by the dead one',
    make: killed,
    turn: {
      took: async (stage, { id, waiter }) => {
        const record = await stage.row('truth/killed/.lock');
        return record?.value.includes(waiter) === true && !record.value.includes(id);
      },
    },
    from: ({ id, waiter }) => ({
      row: { limit: 2, recorded: 2, waiters: [{ sessionId: waiter }] },
      verdicts: { [id]: 'alive' },
    }),
    api: ({ second, waiter }) => ({
      row: { limit: 2, recorded: 2, effective: 2, waiters: [] },
      verdicts: { [second]: 'alive', [waiter]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(2, 2, 2, 0)], lamps: { alive: 2 } }),
    never: () => ({ verdicts: ['unknown'] }),
    // The record is a true ghost between the end of its session and the next holder's turn.
    after: ({ id }) => ({
      verdicts: ['ghost', 'overdue'],
      findings: ['ghost-slots'],
      stored: [shortId(id)],
    }),
  }),
  situation({
    title: 'a session with a TTL that nobody was seen to renew',
    knows: 'the TTL; neither the last renewal nor the time that is left',
    says: 'alive, and that it ends within two TTLs of its last renewal',
    mustNot: 'overdue, or an instant at which it ends',
    make: (stage) => heldLock(stage, 'truth/unseen-renewals', { name: 'nightly', ttlMs: 600_000 }),
    api: ({ id }) => ({
      row: {
        state: 'held',
        holder: {
          expiry: { kind: 'bounded', withinMs: 1_200_000, latestMs: null, lastRenewalMs: null },
          label: 'nightly',
        },
      },
      verdicts: { [id]: 'alive' },
      evidence: ['ttl', 'renewals-not-observed'],
    }),
    screen: (_, w) => ({ has: [w.expiry.bounded(formatDuration(1_200_000, w.units))], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['overdue', 'suspect'],
      evidence: ['renewal-overdue', 'renewal-observed'],
      texts: noEnd(w),
      rows: [{ holder: { expiry: { kind: 'observed' } } }],
    }),
  }),
  situation({
    title: 'a session without TTL, bound to a Consul server',
    knows: 'that only the checks of a server end it; nothing of the process or its machine',
    says: 'node-bound: it ends with the server, not with its holder',
    mustNot: 'that it is alive, that it frees itself in time, or that it ends with the holder’s machine',
    make: (stage) => heldLock(stage, 'truth/node-bound', { name: 'importer', ttlMs: null }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'with-node', withinMs: null, latestMs: null } } },
      verdicts: { [id]: 'node-bound' },
      evidence: ['no-ttl', 'node-checks-only', 'node-passing', 'bound-to-server'],
    }),
    screen: (_, w) => ({
      has: [w.expiry.withServer, w.meanings.boundToServer, w.subject.ttl.none],
      lamps: { 'node-bound': 1 },
    }),
    never: (_, w) => ({
      verdicts: ['alive', 'immortal'],
      texts: [...noEnd(w), w.expiry.bounded(any), ...endsWithItsMachine(w)],
    }),
  }),
  situation({
    title: 'a slot of a session without TTL, bound to a Consul server, while another waits',
    knows: 'that only the checks of a server end it; nothing of the process or its machine',
    says: 'node-bound, and a warning: it ends with the server, not with its holder',
    mustNot: 'that it never ends, or that it ends with the holder’s machine',
    make: async (stage) => {
      const prefix = 'truth/server-bound';
      const holder = await stage.contender(prefix, { name: 'porter', ttlMs: null });
      const waiter = await stage.contender(prefix, { name: 'visitor', ttlMs: 600_000 });
      await stage.recorded(prefix, 1, [holder]);
      return { subject: semaphoreAt(prefix), holder, waiter };
    },
    api: ({ holder, waiter }) => ({
      row: { limit: 1, recorded: 1, effective: 1, holders: [{ expiry: { kind: 'with-node' } }] },
      verdicts: { [holder]: 'node-bound', [waiter]: 'alive' },
      evidence: ['no-ttl', 'node-checks-only', 'bound-to-server'],
      findings: ['endless-holder'],
    }),
    screen: (_, w) => ({
      has: [
        w.subject.semaphore.boundToServer(1),
        w.meanings.boundToServer,
        w.expiry.withServer,
        w.reports['endless-holder']({
          holders: 1,
          verdict: 'node-bound',
          label: 'porter',
          node: null,
          onServer: 1,
          waiting: 1,
          holds: 'session',
        }),
      ],
      lamps: { 'node-bound': 1 },
    }),
    never: (_, w) => ({
      verdicts: ['immortal', 'suspect', 'ghost'],
      texts: [...noEnd(w), ...endsWithItsMachine(w)],
    }),
  }),
  situation({
    title: 'a session without TTL and without any check',
    knows: 'that nothing ends it',
    says: 'immortal: it holds until someone acts',
    mustNot: 'that it is alive, or that it ends with its node',
    make: (stage) => heldLock(stage, 'truth/immortal', { name: 'forgotten', ttlMs: null, checks: [] }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'never' } } },
      verdicts: { [id]: 'immortal' },
      evidence: ['no-ttl', 'no-checks'],
    }),
    screen: (_, w) => ({ has: [w.expiry.never], lamps: { immortal: 1 } }),
    never: (_, w) => ({ verdicts: ['alive', 'node-bound'], texts: [w.expiry.withNode, ...noEnd(w)] }),
  }),
  situation({
    title: 'a session with a TTL and no check at all',
    knows: 'that time ends it, and nothing else does',
    says: 'alive, bounded by its TTL',
    mustNot: 'immortal, or that no check is a fault of it',
    make: (stage) => heldLock(stage, 'truth/ttl-only', { name: 'patient', ttlMs: 600_000, checks: [] }),
    api: ({ id }) => ({
      row: { holder: { expiry: { kind: 'bounded', withinMs: 1_200_000 } } },
      verdicts: { [id]: 'alive' },
      evidence: ['ttl'],
    }),
    screen: (_, w) => ({ has: [w.subject.checksNone], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['immortal', 'node-bound'], evidence: ['no-checks'] }),
  }),
  situation({
    title: 'immortal and node-bound holders while another waits',
    knows: 'who is recorded and who waits',
    says: 'that others wait for holders that may never end by themselves',
    mustNot: 'that they are dead, suspect or overdue, or that a slot is free',
    make: async (stage) => {
      const prefix = 'truth/doubtful';
      const immortal = await stage.contender(prefix, { name: 'stone', ttlMs: null, checks: [] });
      const bound = await stage.contender(prefix, { name: 'anchor', ttlMs: null });
      const waiter = await stage.contender(prefix, { name: 'hopeful', ttlMs: 600_000 });
      await stage.recorded(prefix, 2, [immortal, bound]);
      return { subject: semaphoreAt(prefix), immortal, bound, waiter };
    },
    api: ({ immortal, bound, waiter }) => ({
      row: { limit: 2, recorded: 2, effective: 2, waiters: [{ sessionId: waiter, label: 'hopeful' }] },
      verdicts: { [immortal]: 'immortal', [bound]: 'node-bound', [waiter]: 'alive' },
      findings: ['endless-holder'],
    }),
    screen: (_, w) => ({
      has: [
        w.subject.semaphore.slots(2, 2, 2, 1),
        w.subject.semaphore.doubtful.immortal?.(1) ?? '',
        w.subject.semaphore.boundToServer(1),
      ],
      lamps: { immortal: 1, 'node-bound': 1 },
    }),
    never: () => ({
      verdicts: ['ghost', 'suspect', 'overdue'],
      findings: ['ghost-slots', 'suspect-holder', 'overdue-holder'],
      rows: [{ effective: 1 }, { effective: 0 }],
    }),
  }),
  situation({
    title: 'one session holds two locks and a slot',
    knows: 'every key that the session locks',
    says: 'on each page what else the session holds',
    mustNot: 'that the lock is free, or that nobody knows its holder',
    make: async (stage) => {
      const id = await stage.contender('truth/many/slots', {
        name: 'octopus',
        ttlMs: 600_000,
        behavior: 'release',
      });
      await stage.recorded('truth/many/slots', 3, [id]);
      await stage.lock('truth/many/a', id, { flags: lockFlags });
      await stage.lock('truth/many/b', id, { flags: lockFlags });
      return { subject: lockAt('truth/many/a'), id };
    },
    api: ({ id }) => ({ row: { state: 'held', holder: { label: 'octopus' } }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.subject.facts.alsoHolds, 'truth/many/b', 'truth/many/slots'] }),
    never: () => ({ verdicts: ['unknown', 'ghost'], states: ['free'] }),
  }),
];
