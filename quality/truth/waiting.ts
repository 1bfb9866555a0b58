/** Waiters: their visible traces, their invisible ones, and the remains of those that gave up. */
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { many } from '@/quality/truth/text';

export const waiting: readonly Situation[] = [
  situation({
    title: 'another process really waits for a plain lock',
    knows: 'nothing of it: the waiter is a query that hangs, and leaves no trace',
    says: 'who waits is not visible in Consul',
    mustNot: 'that nobody waits, or 0',
    make: async (stage) => {
      const { id } = await stage.process({ n: 1, prefix: 'truth/queue' });
      await stage.rowsWhen('truth/queue/', 'the lock', (rows) => rows.some((row) => row.session === id));
      await stage.process({ n: 1, prefix: 'truth/queue', command: 'true' });
      return { subject: lockAt('truth/queue/.lock'), id };
    },
    api: ({ id }) => ({
      row: { state: 'held', waiters: null, holder: { sessionId: id } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.lock.waiters] }),
    never: (_, w) => ({
      states: ['free', 'unknown'],
      texts: [w.subject.none.waiters, w.board.waitingLong(0)],
    }),
  }),
  situation({
    title: 'the same on the board: its column of waiters',
    knows: 'nothing of who waits for a plain lock',
    says: 'n/v: not visible',
    mustNot: 'a figure',
    make: async (stage) => {
      const id = await stage.session({ name: 'boarder', ttlMs: 600_000 });
      await stage.lock('truth/board-only', id, { flags: '0' });
      return { subject: lockAt('truth/board-only'), id };
    },
    api: ({ id }) => ({ row: { waiters: null, layout: 'plain' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ path: '/?q=truth%2Fboard-only', has: [w.board.notVisible, 'boarder'] }),
    never: (_, w) => ({
      states: ['free', 'unknown'],
      texts: [0, 1, many].map((n) => w.board.waitingLong(n)),
    }),
  }),
  situation({
    title: 'a semaphore of consul lock: two hold, one waits',
    knows: 'limit, holders, and an entry for everyone who contends',
    says: 'two of two held, one waits, in order of arrival',
    mustNot: 'that the first to arrive is the next to get in',
    make: async (stage) => {
      const prefix = 'truth/jobs';
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) ids.push((await stage.process({ n: 2, prefix })).id);
      await stage.rowsWhen(`${prefix}/`, 'three entries', (rows) => rows.length === 4);
      return { subject: semaphoreAt(prefix), waiter: ids[2] ?? '' };
    },
    api: () => ({ row: { layout: 'go-semaphore', limit: 2, recorded: 2, effective: 2, waiters: [{}] } }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(2, 2, 2, 1), w.subject.waitersNote],
      lamps: { alive: 2 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      rows: [{ waiters: [] }],
      texts: [w.subject.semaphore.slots(2, 2, 2, 0), w.subject.none.waiters, w.subject.queueNote],
    }),
  }),
  situation({
    title: 'a semaphore that nobody holds and nobody wants',
    knows: 'a record of no holders, and no contender',
    says: 'all slots free, nobody waiting',
    mustNot: 'unknown: here none is really none',
    make: async (stage) => {
      await stage.recorded('truth/idle', 3, []);
      return { subject: semaphoreAt('truth/idle') };
    },
    api: () => ({ row: { limit: 3, recorded: 0, effective: 0, holders: [], waiters: [] } }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(0, 3, 0, 0), w.subject.none.waiters],
      lamps: { free: 3 },
    }),
    never: (_, w) => ({ findings: ['ghost-slots', 'unreadable-entry'], texts: [w.board.notVisible] }),
  }),
  situation({
    title: 'a contender entry without a session',
    knows: 'an entry that no session locks',
    says: 'left behind, harmless',
    mustNot: 'that it waits',
    make: async (stage) => {
      const prefix = 'truth/leftover';
      const holder = await stage.contender(prefix, { name: 'present', ttlMs: 600_000 });
      const left = await stage.contender(prefix, { behavior: 'release' });
      await stage.recorded(prefix, 2, [holder]);
      await stage.client.destroySession(left);
      return { subject: semaphoreAt(prefix), holder, left };
    },
    api: ({ holder, left }) => ({
      row: { waiters: [], leftovers: [`truth/leftover/${left}`], recorded: 1 },
      verdicts: { [holder]: 'alive' },
    }),
    screen: ({ left }, w) => ({ has: [w.subject.leftovers, left, w.subject.none.waiters] }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      findings: ['ghost-slots'],
      texts: [w.subject.semaphore.slots(1, 2, 1, 1)],
    }),
  }),
  situation({
    title: 'a waiter whose session has no TTL and no check',
    knows: 'that its session never ends',
    says: 'a waiter with an immortal session',
    mustNot: 'that it is a holder in doubt',
    make: async (stage) => {
      const prefix = 'truth/immortal-waiter';
      const holder = await stage.contender(prefix, { name: 'busy', ttlMs: 600_000 });
      const waiter = await stage.contender(prefix, { name: 'stuck', ttlMs: null, checks: [] });
      await stage.recorded(prefix, 1, [holder]);
      return { subject: semaphoreAt(prefix), holder, waiter };
    },
    api: ({ holder, waiter }) => ({
      row: { recorded: 1, waiters: [{ label: 'stuck' }] },
      verdicts: { [holder]: 'alive', [waiter]: 'immortal' },
    }),
    screen: (_, w) => ({ has: ['stuck', w.verdicts.immortal.word] }),
    never: (_, w) => ({
      findings: ['endless-holder'],
      texts: [w.subject.semaphore.doubtful.immortal?.(1) ?? ''],
    }),
  }),
  situation({
    title: 'an entry that one session locks under the name of another',
    knows: 'a key named after one session, locked by a second',
    says: 'a waiter: the session that locks it',
    mustNot: 'that the one in the name holds',
    make: async (stage) => {
      const prefix = 'truth/borrowed';
      const named = await stage.session({ name: 'named', ttlMs: 600_000 });
      const locking = await stage.session({ name: 'locking', ttlMs: 600_000 });
      await stage.lock(`${prefix}/${named}`, locking, { flags: semaphoreFlags });
      await stage.recorded(prefix, 1, []);
      return { subject: semaphoreAt(prefix), named, locking };
    },
    api: ({ locking }) => ({
      row: { recorded: 0, waiters: [{ sessionId: locking }] },
      verdicts: { [locking]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(0, 1, 0, 1), 'locking'] }),
    never: ({ named }, w) => ({
      verdicts: ['ghost'],
      rows: [{ recorded: 1 }, { waiters: [{ sessionId: named }] }],
      texts: [w.subject.semaphore.slots(1, 1, 1, 0)],
    }),
  }),
];
