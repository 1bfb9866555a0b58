/** A cluster that loses its leader: what is kept, what is marked, and what comes back. */
import { lockFlags } from '@/lib/consul/recognise/coordination';
import { until } from '@/test/support/until';
import { lockAt, type Situation, semaphoreAt, situation } from '@/test/truth/situation';
import type { Stage } from '@/test/truth/stage';

const world = 'cluster';

const held = (stage: Stage) =>
  stage.once('held', async () => {
    const id = await stage.session({ name: 'survivor', ttlMs: 15_000, checks: [] });
    await stage.lock('truth/cluster/lock', id, { flags: lockFlags });
    return { subject: lockAt('truth/cluster/lock'), id };
  });

const leader = (stage: Stage) =>
  until(async () => await stage.client.leader(), { what: 'a leader', timeoutMs: 30_000 });

export const outages: readonly Situation[] = [
  situation({
    title: 'a cluster of three that is well, seen from a follower',
    world,
    when: 'first',
    knows: 'the lock, and answers for its leader',
    says: 'alive, live',
    mustNot: 'stale',
    make: held,
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: ['survivor'], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['overdue', 'unknown'] }),
  }),
  situation({
    title: 'the leader is killed and another one elected',
    world,
    knows: 'the same locks; the time of every session starts anew',
    says: 'the same holder, live again without a reload',
    mustNot: 'overdue, or free: a new leader gives every session its time again',
    make: held,
    turn: async (stage) => {
      await stage.agent('one').kill();
      await leader(stage);
    },
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: ['survivor'], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['overdue', 'suspect', 'unknown'], states: ['free', 'delayed'] }),
  }),
  situation({
    title: 'no leader: two of three servers are down',
    world,
    knows: 'an old copy; nothing can be granted or freed',
    says: 'the last state, marked as old, and that no action is possible',
    mustNot: 'live, free, or an action that can be pressed',
    make: held,
    turn: async (stage) => {
      await stage.agent('three').kill();
      await until(async () => (await stage.client.leader()) === null, {
        what: 'no leader',
        timeoutMs: 30_000,
      });
    },
    api: () => ({ row: { state: 'held' } }),
    screen: () => ({
      has: ['survivor'],
      outage: 'no-leader',
      blocked: [{ name: /^Release/, why: /stale|old|leader/i }],
    }),
    never: () => ({ states: ['free', 'delayed'] }),
  }),
  situation({
    title: 'the leader is back',
    world,
    when: 'last',
    knows: 'the locks as they are now, by its new leader',
    says: 'live again',
    mustNot: 'old data, or a holder in doubt because of the outage',
    make: async (stage) => {
      const prefix = 'truth/cluster/slots';
      const id = await stage.contender(prefix, { name: 'patient', ttlMs: 600_000, checks: [] });
      await stage.recorded(prefix, 2, [id]);
      return { subject: semaphoreAt(prefix), id };
    },
    turn: async (stage) => {
      await stage.agent('three').restart();
      await leader(stage);
    },
    api: ({ id }) => ({ row: { recorded: 1, effective: 1 }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: ['patient'], lamps: { alive: 1, free: 1 } }),
    never: () => ({
      verdicts: ['overdue', 'ghost', 'unknown'],
    }),
  }),
];
