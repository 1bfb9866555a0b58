/** A cluster that loses its leader: the rows that stay, their marks, and the return. */
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type OfOne, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const world = 'cluster';

const held = (stage: Stage) =>
  stage.once('held', async () => {
    const id = await stage.session({ name: 'survivor', ttlMs: 15_000, checks: [] });
    await stage.lock('truth/cluster/lock', id, { flags: lockFlags });
    return { subject: lockAt('truth/cluster/lock'), id };
  });

const isHeld = ({ id }: OfOne) => ({
  row: { state: 'held' as const },
  verdicts: { [id]: 'alive' as const },
});

/** The first server leads, because no other could at its start. */
const leaderKilled: Turn = {
  bring: async (stage) => {
    const led = await stage.client.leader();
    const { serverPort } = stage.agent('one');
    if (led?.endsWith(`:${serverPort}`) !== true) throw new Error(`${led} leads, not the first server.`);
    await stage.agent('one').kill();
  },
  took: async (stage) => {
    const led = await stage.client.leader();
    return led !== null && !led.endsWith(`:${stage.agent('one').serverPort}`);
  },
};

const quorumLost: Turn = {
  first: [leaderKilled],
  bring: (stage) => stage.agent('three').kill(),
  took: async (stage) => (await stage.client.leader()) === null,
};

const leaderBack: Turn = {
  first: [quorumLost],
  bring: (stage) => stage.agent('three').restart(),
  took: async (stage) => (await stage.client.leader()) !== null,
};

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
    never: (_, w) => ({
      verdicts: ['overdue', 'unknown'],
      texts: [w.shell.freshness.stale(any), w.outage.outages['no-leader'].title],
    }),
  }),
  situation({
    title: 'the leader is killed and another one elected',
    world,
    knows: 'the same locks; the time of every session starts anew',
    says: 'the same holder, live again without a reload',
    mustNot: 'overdue, or free: a new leader gives every session its time again',
    make: held,
    turn: leaderKilled,
    from: isHeld,
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
    turn: quorumLost,
    from: isHeld,
    api: () => ({ row: { state: 'held' } }),
    screen: (_, w) => ({
      has: ['survivor'],
      outage: 'no-leader',
      blocked: [{ name: w.action.buttons['lock.release'](any), why: w.outage.outages['no-leader'].title }],
    }),
    never: () => ({ states: ['free', 'delayed'] }),
    after: (_, w) => ({
      texts: [w.shell.freshness.live(any)],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
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
    turn: leaderBack,
    from: ({ id }) => ({ row: { recorded: 1, effective: 1 }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({ row: { recorded: 1, effective: 1 }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: ['patient'], lamps: { alive: 1, free: 1 } }),
    never: () => ({ verdicts: ['overdue', 'ghost', 'unknown'] }),
    after: (_, w) => ({ texts: [w.shell.freshness.stale(any), w.outage.outages['no-leader'].title] }),
  }),
];
