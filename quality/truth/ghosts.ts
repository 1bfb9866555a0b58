/** Slots that are recorded and not held: the client library's own rule, and its limits. */

import type { AllMessages } from '@/lib/i18n/messages';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';

const gone = async (stage: Stage, prefix: string, options: Parameters<Stage['contender']>[1] = {}) => {
  const id = await stage.contender(prefix, options);
  await stage.client.destroySession(id);
  return id;
};

const leaks = (w: AllMessages, n: number) => w.subject.semaphore.doubtful.ghost?.(n) ?? '';

export const ghosts: readonly Situation[] = [
  situation({
    title: 'a ghost in the map layout: its session has ended and nobody prunes',
    knows: 'that .lock names a session by which no key is locked',
    says: 'one of two slots leaks; pruning it is offered',
    mustNot: 'that two hold, or that it ends by itself',
    make: async (stage) => {
      const prefix = 'truth/ghost-map';
      const alive = await stage.contender(prefix, { name: 'worker-1' });
      const ghost = await gone(stage, prefix, { name: 'worker-2' });
      await stage.recorded(prefix, 2, [alive, ghost]);
      return { subject: semaphoreAt(prefix), alive, ghost };
    },
    api: ({ alive, ghost }) => ({
      row: { layout: 'go-semaphore', limit: 2, recorded: 2, effective: 1 },
      verdicts: { [alive]: 'alive', [ghost]: 'ghost' },
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({
      has: [
        w.subject.semaphore.slots(2, 2, 1, 0),
        leaks(w, 1),
        w.evidence['no-entry-locked'](null),
        w.expiry.ghost,
      ],
      lamps: { alive: 1, ghost: 1 },
    }),
    never: ({ ghost }, w) => ({
      rows: [{ effective: 2 }, { holders: [{ sessionId: ghost, verdict: 'alive' }] }],
      texts: [w.subject.semaphore.slots(2, 2, 2, 0), w.expiry.withNode],
    }),
  }),
  situation({
    title: 'a ghost in the list layout',
    knows: 'that the list names a session by which no key is locked',
    says: 'one slot leaks, in the Java layout',
    mustNot: 'that the list is unreadable, or that both that it names hold a slot',
    make: async (stage) => {
      const prefix = 'semaphore/truth-ghost';
      const options = { name: `semaphore${prefix}`, ttlMs: null, flags: '0', behavior: 'release' } as const;
      const alive = await stage.contender(prefix, options);
      const ghost = await gone(stage, prefix, options);
      await stage.recorded(prefix, 3, [alive, ghost], 'list');
      return { subject: semaphoreAt(prefix), alive, ghost };
    },
    api: ({ alive, ghost }) => ({
      row: { layout: 'java-semaphore', limit: 3, recorded: 2, effective: 1, problems: [] },
      verdicts: { [alive]: 'node-bound', [ghost]: 'ghost' },
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({ has: [leaks(w, 1)], lamps: { ghost: 1, 'node-bound': 1, free: 1 } }),
    never: (_, w) => ({
      verdicts: ['alive'],
      findings: ['unreadable-entry', 'wrong-flags'],
      texts: [w.subject.semaphore.slots(2, 3, 2, 0)],
    }),
  }),
  situation({
    title: 'a ghost keeps a waiter out',
    knows: 'that the record is full and that someone waits',
    says: 'urgent: a slot leaks while others wait',
    mustNot: 'that the waiter will get in by itself',
    make: async (stage) => {
      const prefix = 'truth/ghost-waiter';
      const ghost = await gone(stage, prefix);
      const waiter = await stage.contender(prefix, { name: 'patient', flags: '0', ttlMs: 600_000 });
      await stage.entry(prefix, newCoordination('list', 1, [ghost]), '0');
      return { subject: semaphoreAt(prefix), ghost, waiter };
    },
    api: ({ ghost, waiter }) => ({
      row: { limit: 1, recorded: 1, effective: 0, waiters: [{ sessionId: waiter }] },
      verdicts: { [ghost]: 'ghost', [waiter]: 'alive' },
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(1, 1, 0, 1), leaks(w, 1)], lamps: { ghost: 1 } }),
    never: (_, w) => ({
      rows: [{ waiters: [] }, { effective: 1 }],
      texts: [w.subject.semaphore.slots(1, 1, 0, 0), w.subject.semaphore.free(1), w.subject.none.waiters],
    }),
  }),
  situation({
    title: 'every slot is a ghost',
    knows: 'three records, and no key under the prefix that is locked',
    says: 'all slots leak, none is really held',
    mustNot: 'that the semaphore is free, or that someone holds it',
    make: async (stage) => {
      const prefix = 'truth/ghosts-only';
      const ids = [await gone(stage, prefix), await gone(stage, prefix), await gone(stage, prefix)];
      await stage.recorded(prefix, 3, ids);
      return { subject: semaphoreAt(prefix), ids };
    },
    api: ({ ids }) => ({
      row: { limit: 3, recorded: 3, effective: 0, waiters: [] },
      verdicts: Object.fromEntries(ids.map((id) => [id, 'ghost' as const])),
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(3, 3, 0, 0), leaks(w, 3)],
      lamps: { ghost: 3, free: 0 },
    }),
    never: (_, w) => ({ verdicts: ['alive', 'unknown'], texts: [w.subject.none.holders, w.meanings.free] }),
  }),
  situation({
    title: 'a ghost whose session lives and holds something else',
    knows: 'that the session exists and locks another key, but none here',
    says: 'ghost: it locks nothing here; its session exists',
    mustNot: 'that its session has ended',
    make: async (stage) => {
      const prefix = 'truth/ghost-elsewhere';
      const id = await stage.session({ name: 'moved-on', ttlMs: 600_000 });
      await stage.lock('truth/elsewhere', id, { flags: lockFlags });
      await stage.recorded(prefix, 2, [id]);
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { recorded: 1, effective: 0, holders: [{ session: { name: 'moved-on' } }] },
      verdicts: { [id]: 'ghost' },
      evidence: ['no-entry-locked', 'session-exists'],
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['session-exists'](null), leaks(w, 1)],
      lamps: { ghost: 1, free: 1 },
    }),
    never: () => ({ evidence: ['session-not-listed', 'session-not-visible'] }),
  }),
  situation({
    title: 'a live session recorded by a program with rules of its own, by which no key is locked',
    knows: 'flags that are not those of Go, a list that names the session, and that the session exists',
    says: 'recorded; whether its slot leaks cannot be told',
    mustNot: 'a ghost, or that pruning it is offered: its program may keep no entries at all',
    make: async (stage) => {
      const prefix = 'truth/own-rules';
      const id = await stage.session({ name: 'at-work', ttlMs: 600_000 });
      await stage.recorded(prefix, 2, [id], 'list');
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { recorded: 1, effective: null, holders: [{ session: { name: 'at-work' } }] },
      verdicts: { [id]: 'unknown' },
      evidence: ['no-entry-locked', 'may-need-no-entry', 'session-exists'],
    }),
    screen: (_, w) => ({ has: [w.evidence['may-need-no-entry'](null)], lamps: { unknown: 1, ghost: 0 } }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      findings: ['ghost-slots'],
      enabled: [w.action.buttons['semaphore.prune'](1)],
    }),
  }),
  situation({
    title: 'foo and foobar: an entry of the neighbour keeps a record alive, as clients see it',
    knows: 'that Go clients list foo as a string prefix, so foobar/<session> counts',
    says: 'a holder, because the client library itself would not prune it',
    mustNot: 'a ghost: pruning it would take a slot that clients count as held',
    make: async (stage) => {
      const id = await stage.contender('truth/nearby', { name: 'neighbour', ttlMs: 600_000 });
      await stage.recorded('truth/near', 2, [id]);
      await stage.recorded('truth/nearby', 2, [id]);
      return { subject: semaphoreAt('truth/near'), id };
    },
    api: ({ id }) => ({ row: { recorded: 1, effective: 1 }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(1, 2, 1, 0)],
      lamps: { alive: 1, free: 1, ghost: 0 },
    }),
    never: () => ({ verdicts: ['ghost'], findings: ['ghost-slots'] }),
  }),
  situation({
    title: 'more holders than the limit, each with its entry',
    knows: 'three records that are really held, and a limit of two',
    says: 'over the limit by one',
    mustNot: 'that one of them is a ghost, or a fourth slot',
    make: async (stage) => {
      const prefix = 'truth/over';
      const ids: string[] = [];
      for (const name of ['one', 'two', 'three'])
        ids.push(await stage.contender(prefix, { name, ttlMs: 600_000 }));
      await stage.recorded(prefix, 2, ids);
      return { subject: semaphoreAt(prefix), ids };
    },
    api: ({ ids }) => ({
      row: { limit: 2, recorded: 3, effective: 3 },
      verdicts: Object.fromEntries(ids.map((id) => [id, 'alive' as const])),
      findings: ['over-limit'],
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(3, 2, 3, 0), w.subject.semaphore.over(1)],
      lamps: { alive: 3, free: 0 },
    }),
    never: () => ({ verdicts: ['ghost'], findings: ['ghost-slots'], rows: [{ effective: 2 }, { limit: 3 }] }),
  }),
  situation({
    title: 'nested semaphores: a/.lock above a/b/.lock',
    knows: 'two coordination entries, one below the other, and an entry of one session in each',
    says: 'two semaphores, each with its own holders and waiters',
    mustNot: 'that an entry of the inner one waits for the outer one',
    make: async (stage) => {
      const id = await stage.session({ name: 'nested', ttlMs: 600_000, behavior: 'delete' });
      await stage.lock(`truth/outer/${id}`, id, { flags: semaphoreFlags });
      await stage.recorded('truth/outer', 2, [id]);
      await stage.lock(`truth/outer/inner/${id}`, id, { flags: semaphoreFlags });
      await stage.recorded('truth/outer/inner', 1, []);
      return { subject: semaphoreAt('truth/outer'), id };
    },
    api: ({ id }) => ({
      row: { limit: 2, recorded: 1, effective: 1, waiters: [], leftovers: [] },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(1, 2, 1, 0)],
      lamps: { alive: 1, free: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      findings: ['unreadable-entry'],
      texts: [w.subject.semaphore.slots(1, 2, 1, 1), w.subject.leftovers],
    }),
  }),
  situation({
    title: 'a/b/.lock is a plain lock below a semaphore a',
    knows: 'a key that a session locks, with the flags of a lock',
    says: 'a lock of its own beside the semaphore',
    mustNot: 'a semaphore of it, or a waiter of the outer one',
    make: async (stage) => {
      const id = await stage.session({ name: 'Consul API Lock', ttlMs: 600_000 });
      await stage.recorded('truth/mixed', 2, []);
      await stage.lock('truth/mixed/b/.lock', id, { flags: lockFlags });
      return { subject: lockAt('truth/mixed/b/.lock'), id };
    },
    api: ({ id }) => ({ row: { kind: 'lock', state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.subject.lock.waiters], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      states: ['free'],
      texts: [w.subject.none.waiters, w.subject.notInView.lock],
    }),
  }),
];
