/** Data that a token may not read: invisible is not absent, and not dead. */
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, sessionAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any, many } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const world = 'permissions';

/** Tokens of the policy under which Signalbox reads. */
async function readers({ consul }: Stage): Promise<readonly string[]> {
  const headers = { 'x-consul-token': consul.token ?? '' };
  const answer = await fetch(`http://${consul.address}/v1/acl/tokens`, { headers });
  const tokens = (await answer.json()) as { AccessorID: string; Policies?: { Name: string }[] }[];
  return tokens
    .filter(({ Policies }) => Policies?.some(({ Name }) => Name === 'reader'))
    .map(({ AccessorID }) => AccessorID);
}

const revoked: Turn = {
  bring: async (stage) => {
    const { consul } = stage;
    const headers = { 'x-consul-token': consul.token ?? '' };
    for (const id of await readers(stage))
      await fetch(`http://${consul.address}/v1/acl/token/${id}`, { method: 'DELETE', headers });
    // A hanging query was allowed at its start, so a change is needed to check the right again.
    await stage.put('truth/acl/nudge', '');
  },
  took: async (stage) => (await readers(stage)).length === 0,
};

export const permissions: readonly Situation[] = [
  situation({
    title: 'a lock whose session the token may not read',
    world,
    knows: 'the key and the id of its session; the session is kept from this token',
    says: 'held by that id; whether it is alive cannot be told',
    mustNot: 'alive, dead or a ghost',
    make: async (stage) => {
      const id = await stage.session({ name: 'secret', ttlMs: 600_000 });
      await stage.lock('truth/acl/hidden', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/hidden'), id };
    },
    api: ({ id }) => ({
      row: { state: 'held', holder: { sessionId: id, session: null, expiry: { kind: 'unknown' } } },
      verdicts: { [id]: 'unknown' },
      evidence: ['session-not-visible', 'holds-entry'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['session-not-visible'](null), w.meanings.unknown, w.subject.sessionUnread],
      lamps: { unknown: 1 },
    }),
    never: () => ({
      verdicts: ['alive', 'ghost', 'suspect', 'overdue'],
      stored: ['secret'],
      rows: [{ holder: { label: 'secret' } }],
    }),
  }),
  situation({
    title: 'slots of sessions that the token may not read',
    world,
    knows: 'the record and the entries that are locked',
    says: 'two held, of whom nothing more can be told',
    mustNot: 'alive, or that a slot leaks',
    make: async (stage) => {
      const prefix = 'truth/acl/slots';
      const ids = [
        await stage.contender(prefix, { name: 'hidden-1', ttlMs: 600_000 }),
        await stage.contender(prefix, { name: 'hidden-2', ttlMs: 600_000 }),
      ];
      const waiter = await stage.contender(prefix, { name: 'hidden-3', ttlMs: 600_000 });
      await stage.recorded(prefix, 2, ids);
      return { subject: semaphoreAt(prefix), ids, waiter };
    },
    api: ({ ids, waiter }) => ({
      row: { recorded: 2, effective: 2, waiters: [{ sessionId: waiter }] },
      verdicts: Object.fromEntries([...ids, waiter].map((id) => [id, 'unknown' as const])),
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.doubtful.unknown?.(2) ?? ''], lamps: { unknown: 2 } }),
    never: () => ({
      verdicts: ['alive', 'ghost', 'suspect'],
      findings: ['ghost-slots', 'suspect-holder', 'overdue-holder'],
    }),
  }),
  situation({
    title: 'a prefix of which the token may read only .lock',
    world,
    knows: 'two holders with their entries, which are kept from this token',
    says: 'two recorded; whether they are there cannot be told',
    mustNot: 'a ghost, or a prune',
    make: async (stage) => {
      const prefix = 'truth/part';
      const ids = [
        await stage.contender(prefix, { name: 'unseen-1', ttlMs: 600_000 }),
        await stage.contender(prefix, { name: 'unseen-2', ttlMs: 600_000 }),
      ];
      await stage.recorded(prefix, 2, ids);
      return { subject: semaphoreAt(prefix), ids };
    },
    api: ({ ids }) => ({
      row: { limit: 2, recorded: 2, effective: null },
      verdicts: Object.fromEntries(ids.map((id) => [id, 'unknown' as const])),
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.doubtful.unknown?.(2) ?? ''],
      lamps: { unknown: 2, ghost: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'alive'],
      findings: ['ghost-slots'],
      rows: [{ effective: 0 }, { effective: 2 }],
      enabled: [1, many].map((n) => w.action.buttons['semaphore.prune'](n)),
    }),
  }),
  situation({
    title: 'a session that may be read on a node that may not',
    world,
    knows: 'the session; its node and checks are kept from this token',
    says: 'that the health of its node is not known',
    mustNot: 'that the node has left, or that it is well',
    make: async (stage) => {
      const id = await stage.session({ name: 'bare', ttlMs: 600_000, node: 'bare-node', checks: [] });
      await stage.lock('truth/acl/bare', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/bare'), id };
    },
    api: () => ({
      row: { state: 'held', holder: { session: { node: 'bare-node' } } },
      evidence: ['node-unknown'],
    }),
    screen: (_, w) => ({ has: [w.evidence['node-unknown']('bare-node')] }),
    never: () => ({
      verdicts: ['suspect', 'ghost'],
      evidence: ['node-gone', 'node-passing', 'node-critical'],
    }),
  }),
  situation({
    title: 'a session with a check of a node that the token may not read',
    world,
    knows: 'that a check may end the session; not how it is',
    says: 'unknown: whether its check passes cannot be told',
    mustNot: 'alive, or node-bound as if the node were seen',
    make: async (stage) => {
      const id = await stage.session({ name: 'checked', ttlMs: null, node: 'bare-node' });
      await stage.lock('truth/acl/checked', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/checked'), id };
    },
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'unknown' }, evidence: ['node-unknown'] }),
    screen: (_, w) => ({ has: [w.sessions.checkStatus.unknown], lamps: { unknown: 1 } }),
    never: () => ({ verdicts: ['alive', 'suspect'], evidence: ['checks-passing', 'node-gone'] }),
  }),
  situation({
    title: 'a session that the token may read, with its node',
    world,
    knows: 'the session and its node, and lets this token see both',
    says: 'alive, as with every right',
    mustNot: 'unknown',
    make: async (stage) => {
      const id = await stage.session({ name: 'open', ttlMs: 600_000, node: 'seen-node' });
      await stage.lock('truth/acl/open', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/open'), id };
    },
    api: ({ id }) => ({
      row: { holder: { label: 'open' } },
      verdicts: { [id]: 'alive' },
      evidence: ['node-passing'],
    }),
    screen: () => ({ has: ['open'], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['unknown'], evidence: ['node-unknown', 'session-not-visible'] }),
  }),
  situation({
    title: 'a lock that is freed while its session may not be read',
    world,
    knows: 'that the key is free now; not whether its session ended or it was given back',
    says: 'free',
    mustNot: 'in delay: the end of the session was not seen',
    make: async (stage) => {
      const id = await stage.session({ name: 'unseen', ttlMs: 600_000 });
      await stage.lock('truth/acl/freed', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/freed'), id };
    },
    turn: {
      bring: (stage, { id }) => stage.client.destroySession(id),
      took: (stage, { id }) => stage.ended(id),
    },
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'unknown' } }),
    api: () => ({ row: { holder: null, delayedUntilMs: null } }),
    screen: (_, w) => ({ has: [w.subject.none.holder] }),
    never: () => ({ states: ['delayed'] }),
    after: () => ({ states: ['held'] }),
  }),
  situation({
    title: 'a session that the token may not read: its own page',
    world,
    knows: 'the session, and keeps it from this token',
    says: 'not in view; the credential may be the cause',
    mustNot: 'that it has ended',
    make: async (stage) => ({ subject: sessionAt(await stage.session({ name: 'hidden', ttlMs: 600_000 })) }),
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.session, w.subject.notInView.because.session] }),
    never: (_, w) => ({
      listed: true,
      stored: ['hidden'],
      texts: [w.subject.notInView.went.session, w.evidence['session-not-listed'](null)],
    }),
  }),
  situation({
    title: 'the token is revoked',
    world,
    when: 'last',
    // A revoked token may still get answers with less in them for a moment, so its rights are unknown then.
    endsOthers: true,
    knows: 'nothing that it would tell this token any more',
    says: 'that Consul does not know the credential; what was seen last is marked as old',
    mustNot: 'live, or an action that can be pressed',
    make: async (stage) => {
      const id = await stage.session({ name: 'lasting', ttlMs: 600_000, node: 'seen-node' });
      await stage.lock('truth/acl/revoked', id, { flags: lockFlags });
      return { subject: lockAt('truth/acl/revoked'), id };
    },
    turn: revoked,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: () => ({ row: { state: 'held' } }),
    screen: (_, w) => ({
      has: ['lasting'],
      outage: 'token-unknown',
      blocked: [{ name: w.action.buttons['lock.release'](any), why: w.why['sign-in-to-act']({}) }],
    }),
    never: (_, w) => ({
      states: ['free', 'delayed', 'unknown'],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
    after: (_, w) => ({ texts: [w.shell.freshness.live(any)] }),
  }),
];
