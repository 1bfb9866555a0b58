/** A machine goes down under its sessions: a real second agent, killed. */
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type OfOne, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const world = 'nodes';
const node = 'far-node';

/** Kills the second agent, once for all rows, which exist before. */
const goesDown: Turn = {
  bring: (stage) => stage.agent('far').kill(),
  took: async (stage) =>
    (await stage.client.checks()).value.some((c) => c.node === node && c.status === 'critical'),
};

const isHeld = ({ id }: OfOne) => ({
  row: { state: 'held' as const, holder: { sessionId: id } },
  evidence: ['node-passing' as const],
});

const held = async (stage: Stage, key: string, options: Parameters<Stage['session']>[0]) => {
  const id = await stage.session({ ...options, node });
  await stage.lock(key, id, { flags: lockFlags });
  return { subject: lockAt(key), id };
};

export const nodes: readonly Situation[] = [
  situation({
    title: 'a lock on a node that is well',
    world,
    when: 'first',
    knows: 'the node’s check passes',
    says: 'alive, on its node',
    mustNot: 'anything of a node in trouble',
    make: (stage) => held(stage, 'truth/node/ttl', { name: 'remote', ttlMs: 600_000, checks: [] }),
    api: ({ id }) => ({
      row: { holder: { session: { node } } },
      verdicts: { [id]: 'alive' },
      evidence: ['node-passing'],
    }),
    screen: (_, w) => ({ has: [w.evidence['node-passing'](node)], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['suspect'], evidence: ['node-critical', 'node-gone'] }),
  }),
  situation({
    title: 'a session without TTL, bound to the node of its process',
    world,
    when: 'first',
    knows: 'that only the node’s checks end it, and that the node is no server; nothing of the process',
    says: 'node-bound: it ends with its node, not with its process',
    mustNot: 'that it is alive, that it frees itself in time, or that its node is a server',
    make: (stage) => held(stage, 'truth/node/bound', { name: 'importer', ttlMs: null }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'with-node', withinMs: null, latestMs: null } } },
      verdicts: { [id]: 'node-bound' },
      evidence: ['no-ttl', 'node-checks-only', 'node-passing'],
    }),
    screen: (_, w) => ({ has: [w.expiry.withNode, w.subject.ttl.none], lamps: { 'node-bound': 1 } }),
    never: (_, w) => ({
      verdicts: ['alive', 'immortal'],
      evidence: ['server-node', 'bound-to-server'],
      texts: [w.expiry.withServer],
    }),
  }),
  situation({
    title: 'the node of a holder is down; its session has a TTL and no check',
    world,
    knows: 'that the node is critical; the session goes on until its TTL',
    says: 'suspect: likely dead or cut off',
    mustNot: 'alive, or surely dead',
    make: (stage) => held(stage, 'truth/node/ttl-2', { name: 'cut-off', ttlMs: 600_000, checks: [] }),
    turn: goesDown,
    from: isHeld,
    api: ({ id }) => ({
      row: { state: 'held', holder: { session: { node }, expiry: { kind: 'bounded' } } },
      verdicts: { [id]: 'suspect' },
      evidence: ['session-exists', 'node-critical'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['node-critical'](node), w.meanings.suspect],
      lamps: { suspect: 1 },
    }),
    never: () => ({ verdicts: ['ghost', 'overdue'], states: ['free', 'delayed'] }),
    after: () => ({ verdicts: ['alive'] }),
  }),
  situation({
    title: 'the node is down under a session that nothing ends',
    world,
    knows: 'that the node is critical, and that neither time nor a check ends the session',
    says: 'suspect, and that it never frees itself',
    mustNot: 'that it ends with its node',
    make: (stage) => held(stage, 'truth/node/immortal', { name: 'stranded', ttlMs: null, checks: [] }),
    turn: goesDown,
    from: isHeld,
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'never' } } },
      verdicts: { [id]: 'suspect' },
      evidence: ['no-ttl', 'no-checks', 'node-critical'],
    }),
    screen: (_, w) => ({ has: [w.expiry.never], lamps: { suspect: 1 } }),
    never: (_, w) => ({ verdicts: ['alive', 'node-bound'], texts: [w.expiry.withNode] }),
    after: () => ({ evidence: ['node-passing'] }),
  }),
  situation({
    title: 'the node is down under a session with its check',
    world,
    knows: 'that the check failed, and with it the session ended',
    says: 'free, under the lock-delay of the session whose end was seen',
    mustNot: 'held, or suspect',
    make: (stage) => held(stage, 'truth/node/checked', { name: 'guarded', ttlMs: null, lockDelayMs: 60_000 }),
    turn: goesDown,
    from: isHeld,
    api: () => ({ row: { state: 'delayed', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.delayed(any)], lamps: { delayed: 1 } }),
    never: () => ({ states: ['free'] }),
    after: () => ({ states: ['held'], verdicts: ['suspect', 'node-bound'] }),
  }),
  situation({
    title: 'a slot is held from a node that is down while another waits',
    world,
    knows: 'the record, the entries, and the critical node',
    says: 'urgent: full, others wait, and a holder is suspect',
    mustNot: 'a ghost: its entry is still locked',
    make: async (stage) => {
      const prefix = 'truth/node/slots';
      const holder = await stage.contender(prefix, { name: 'lost', ttlMs: 600_000, checks: [], node });
      const waiter = await stage.contender(prefix, { name: 'near', ttlMs: 600_000 });
      await stage.recorded(prefix, 1, [holder]);
      return { subject: semaphoreAt(prefix), holder, waiter };
    },
    turn: goesDown,
    from: ({ holder, waiter }) => ({
      row: { recorded: 1, effective: 1 },
      verdicts: { [holder]: 'alive', [waiter]: 'alive' },
      evidence: ['node-passing'],
    }),
    api: ({ holder, waiter }) => ({
      row: { recorded: 1, effective: 1, waiters: [{ sessionId: waiter }] },
      verdicts: { [holder]: 'suspect', [waiter]: 'alive' },
      findings: ['suspect-holder'],
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.doubtful.suspect?.(1) ?? ''], lamps: { suspect: 1 } }),
    never: () => ({ verdicts: ['ghost', 'overdue'], findings: ['ghost-slots'] }),
  }),
  situation({
    title: 'the node is taken out of the catalog',
    world,
    when: 'last',
    knows: 'that its sessions ended with it',
    says: 'free, under the lock-delay of the session whose end was seen',
    mustNot: 'a holder on a node that has left',
    make: (stage) =>
      held(stage, 'truth/node/deregistered', {
        name: 'removed',
        ttlMs: null,
        checks: [],
        lockDelayMs: 60_000,
      }),
    turn: {
      first: [goesDown],
      bring: (stage) => stage.request('catalog/deregister', { Node: node }),
      took: (stage, { id }) => stage.ended(id),
    },
    from: isHeld,
    api: () => ({ row: { state: 'delayed', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.delayed(any)] }),
    never: () => ({ states: ['free'], evidence: ['node-gone'] }),
    after: () => ({ states: ['held'] }),
  }),
];
