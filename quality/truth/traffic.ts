/** The classic hazards: a herd, a deadlock, and leadership that changes hands too fast. */
import { lockFlags, newCoordination } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { many } from '@/quality/truth/text';

const waitersInHerd = 50;
const changes = 6;

export const traffic: readonly Situation[] = [
  situation({
    title: 'fifty sessions wait for one slot',
    knows: 'an entry for each of them',
    says: 'a herd: every change wakes them all',
    mustNot: 'urgent, or that any of them is in doubt: to wait is no fault',
    make: async (stage) => {
      const prefix = 'truth/herd';
      const holder = await stage.contender(prefix, { name: 'lucky', ttlMs: 600_000 });
      await stage.recorded(prefix, 1, [holder]);
      await Promise.all(
        Array.from({ length: waitersInHerd }, (_, n) =>
          stage.contender(prefix, { name: `sheep-${n}`, ttlMs: 600_000 }),
        ),
      );
      return { subject: semaphoreAt(prefix), holder };
    },
    api: ({ holder }) => ({
      row: { limit: 1, recorded: 1, effective: 1 },
      verdicts: { [holder]: 'alive' },
      findings: ['herd'],
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(1, 1, 1, waitersInHerd), w.subject.waitersNote] }),
    never: () => ({
      verdicts: ['ghost', 'overdue'],
      findings: ['suspect-holder', 'overdue-holder', 'deadlock'],
      severities: ['urgent'],
    }),
  }),
  situation({
    title: 'two sessions each hold what the other waits for',
    knows: 'what each session holds, and what it contends for',
    says: 'a deadlock, by both names, on both pages',
    mustNot: 'that one of them is dead, or only a full semaphore',
    make: async (stage) => {
      const [one, two] = ['truth/knot/one', 'truth/knot/two'];
      const ada = await stage.contender(one, { name: 'ada', ttlMs: 600_000, flags: '0' });
      const grace = await stage.contender(two, { name: 'grace', ttlMs: 600_000, flags: '0' });
      await stage.entry(one, newCoordination('list', 1, [ada]), '0');
      await stage.entry(two, newCoordination('list', 1, [grace]), '0');
      await stage.lock(`${one}/${grace}`, grace);
      await stage.lock(`${two}/${ada}`, ada);
      return { subject: semaphoreAt(one), ada, grace };
    },
    api: ({ ada, grace }) => ({
      row: { recorded: 1, effective: 1 },
      verdicts: { [ada]: 'alive', [grace]: 'alive' },
      findings: ['deadlock'],
    }),
    screen: (_, w) => ({ has: ['ada', 'grace', w.findings.deadlock.own ?? ''] }),
    never: () => ({
      verdicts: ['ghost', 'suspect', 'overdue'],
      findings: ['suspect-holder', 'overdue-holder'],
    }),
  }),
  situation({
    title: 'a full semaphore with a waiter that holds nothing: no deadlock',
    knows: 'a holder that waits for nothing that it can see',
    says: 'full, one waits',
    mustNot: 'a deadlock: the holder can go on',
    make: async (stage) => {
      const prefix = 'truth/no-knot';
      const holder = await stage.contender(prefix, { name: 'working', ttlMs: 600_000 });
      const waiter = await stage.contender(prefix, { name: 'queueing', ttlMs: 600_000 });
      await stage.recorded(prefix, 1, [holder]);
      return { subject: semaphoreAt(prefix), holder, waiter };
    },
    api: ({ holder, waiter }) => ({
      row: { recorded: 1, waiters: [{ sessionId: waiter }] },
      verdicts: { [holder]: 'alive', [waiter]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(1, 1, 1, 1)] }),
    never: () => ({ findings: ['deadlock', 'suspect-holder', 'overdue-holder', 'herd'] }),
  }),
  situation({
    title: 'leadership that changes hands six times within a minute',
    when: 'last',
    knows: 'how often the key was acquired; not when',
    says: 'flapping, by the changes that were seen within the last minute',
    mustNot: 'urgent, or that a holder is in doubt',
    make: async (stage) => {
      const key = 'truth/flapping/core/lock';
      await stage.put(key, '', lockFlags);
      return { subject: lockAt(key), key };
    },
    turn: {
      bring: async (stage, { key }) => {
        for (let n = 0; n < changes; n += 1) {
          const id = await stage.session({ name: 'Vault Lock', ttlMs: 600_000 });
          await stage.lock(key, id, { flags: lockFlags });
          if (n < changes - 1)
            await stage.client.release({ key, value: Buffer.alloc(0), flags: lockFlags, session: id });
        }
      },
      took: async (stage, { key }) => (await stage.row(key))?.lockIndex === `${changes}`,
    },
    from: () => ({ row: { layout: 'vault', state: 'free' } }),
    // The last change. The finding comes before it, and the lock is free once more in between.
    api: () => ({ row: { layout: 'vault', state: 'held', lockIndex: `${changes}` }, findings: ['flapping'] }),
    screen: (_, w) => ({
      has: [w.reports.flapping({ changes, windowMs: 60_000, holdMs: many })],
      lamps: { alive: 1 },
    }),
    never: () => ({ states: ['delayed'], verdicts: ['overdue', 'suspect'], severities: ['urgent'] }),
    after: () => ({ states: ['free'] }),
  }),
];
