/** Lock-delay, derived from its cause because Consul never reports it; and the free lock, which is not the same. */

import { formatDuration } from '@/lib/i18n/format/format';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type OfOne, type Situation, sessionAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const long = 60_000;

/** A lock that is held until it shows. The row's turn then destroys its session. */
async function held(
  stage: Stage,
  key: string,
  {
    behavior = 'release',
    lockDelayMs = long,
  }: { behavior?: 'release' | 'delete'; lockDelayMs?: number } = {},
) {
  const id = await stage.session({ name: 'short-lived', ttlMs: 600_000, behavior, lockDelayMs });
  await stage.lock(key, id, { flags: lockFlags });
  return { subject: lockAt(key), id };
}

const isHeld = ({ id }: OfOne) => ({
  row: { state: 'held' as const },
  verdicts: { [id]: 'alive' as const },
});

/** Destroys its session. */
const ends = (): Turn<OfOne> => ({
  bring: (stage, { id }) => stage.client.destroySession(id),
  took: (stage, { id }) => stage.ended(id),
});

export const delays: readonly Situation[] = [
  situation({
    title: 'a lock under its lock-delay, the key kept',
    knows: 'that the key is free; of the delay it says nothing',
    says: 'free, but refused to everyone, for the lock-delay of the session whose end was seen',
    mustNot: 'simply free, or held',
    make: (stage) => held(stage, 'truth/delay/kept'),
    turn: ends(),
    from: isHeld,
    api: ({ id }) => ({
      row: { state: 'delayed', holder: null, exists: true, delay: { sessionId: id, lengthMs: long } },
    }),
    screen: (_, w) => ({
      has: [w.subject.lock.delayed(any), w.delay.derived],
      lamps: { delayed: 1, free: 0 },
    }),
    never: () => ({ states: ['free'] }),
    after: () => ({ states: ['held'] }),
  }),
  situation({
    title: 'a lock under its lock-delay, the key deleted with its session',
    knows: 'nothing: the key is gone, and its name is refused to everyone',
    says: 'that it was deleted with its session, and that its name is refused',
    mustNot: 'nothing at all, or free',
    make: (stage) => held(stage, 'truth/delay/deleted', { behavior: 'delete' }),
    turn: ends(),
    from: isHeld,
    api: ({ id }) => ({
      row: { state: 'delayed', exists: false, holder: null, value: null, delay: { sessionId: id } },
    }),
    screen: (_, w) => ({ has: [w.delay.gone, w.delay.derived, w.subject.raw.none], lamps: { delayed: 1 } }),
    never: () => ({ states: ['free'], listed: false }),
    after: () => ({ states: ['held'] }),
  }),
  situation({
    title: 'a lock-delay of 120 s, which Consul caps at 60 s',
    knows: 'the delay that the session asked for; it applies 60 s at the most',
    says: 'the 60 s that are applied',
    mustNot: 'the 120 s that were asked for',
    make: async (stage) => {
      const id = await stage.session({ name: 'greedy', ttlMs: 600_000, lockDelayMs: 120_000 });
      await stage.lock('truth/delay/capped', id, { flags: lockFlags });
      return { subject: lockAt('truth/delay/capped'), id };
    },
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.subject.delay.lock(formatDuration(60_000, w.units))] }),
    never: (_, w) => ({
      texts: [w.subject.delay.lock(formatDuration(120_000, w.units))],
      states: ['free', 'delayed'],
    }),
  }),
  situation({
    title: 'a lock given back by its holder',
    knows: 'that the key is free; a release sets no delay',
    says: 'free',
    mustNot: 'in delay: anyone may take it at once',
    make: (stage) => held(stage, 'truth/delay/released'),
    turn: {
      bring: (stage, { id }) =>
        stage.client.release({
          key: 'truth/delay/released',
          value: Buffer.alloc(0),
          flags: lockFlags,
          session: id,
        }),
      took: async (stage) => (await stage.row('truth/delay/released'))?.session === null,
    },
    from: isHeld,
    api: () => ({ row: { state: 'free', holder: null, delayedUntilMs: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free], lamps: { free: 1, delayed: 0 } }),
    never: () => ({ states: ['delayed'] }),
    after: () => ({ states: ['held'] }),
  }),
  situation({
    title: 'lock-delay 0, the session ends',
    knows: 'that the key is free; a session with lock-delay 0 sets none',
    says: 'free',
    mustNot: 'in delay',
    make: (stage) => held(stage, 'truth/delay/zero-ended', { lockDelayMs: 0 }),
    turn: ends(),
    from: isHeld,
    api: () => ({ row: { state: 'free', holder: null, delayedUntilMs: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free], lamps: { free: 1 } }),
    never: () => ({ states: ['delayed'] }),
    after: () => ({ states: ['held'] }),
  }),
  situation({
    title: 'lock-delay 0, held: two may work at once after its end',
    knows: 'that the session asks for no delay',
    says: 'a notice: the next holder may start while this one still works',
    mustNot: 'that two hold it now',
    make: (stage) => held(stage, 'truth/delay/zero', { lockDelayMs: 0 }),
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' }, findings: ['no-lock-delay'] }),
    screen: (_, w) => ({ has: [w.subject.delay.none] }),
    never: () => ({ states: ['free', 'delayed', 'unknown'], findings: ['over-limit'] }),
  }),
  situation({
    title: 'a lock that was free when Signalbox started',
    knows: 'a key with the flags of a lock that nobody locks',
    says: 'free',
    mustNot: 'in delay: none was seen to begin, and none is made up',
    make: async (stage) => {
      await stage.put('truth/free', '', lockFlags);
      return { subject: lockAt('truth/free') };
    },
    api: () => ({ row: { state: 'free', holder: null, delayedUntilMs: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free], lamps: { free: 1 } }),
    never: () => ({ states: ['delayed', 'held'] }),
  }),
  situation({
    title: 'a key that is somebody’s data',
    knows: 'a key that no session ever locked',
    says: 'nothing: it is no lock',
    mustNot: 'a lock, free or held',
    make: async (stage) => {
      await stage.put('truth/data', 'just a value');
      return { subject: lockAt('truth/data') };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock] }),
    never: () => ({ listed: true, states: ['free', 'held', 'delayed'], stored: ['just a value'] }),
  }),
  situation({
    title: 'a session that was destroyed: its own page',
    knows: 'nothing: a session that is gone leaves no trace',
    says: 'not in view, with every cause that is possible',
    mustNot: 'that it is dead',
    make: async (stage) => {
      const id = await stage.session({ name: 'brief' });
      await stage.client.destroySession(id);
      return { subject: sessionAt(id) };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.session, w.subject.notInView.because.session] }),
    never: (_, w) => ({
      listed: true,
      verdicts: ['overdue', 'suspect', 'ghost'],
      texts: [w.evidence['session-not-listed'](null)],
    }),
  }),
];
