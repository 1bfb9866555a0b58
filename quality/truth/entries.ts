/** Coordination entries that work in part: wrong flags, odd fields, and records that are missing. */

import type { AllMessages } from '@/lib/i18n/messages';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { anySlots } from '@/quality/truth/text';

const notWritten = (w: AllMessages) => ({
  name: w.action.buttons['semaphore.resize'],
  why: w.why['not-understood']({}),
});

export const entries: readonly Situation[] = [
  situation({
    title: 'a list of holders under the flags of Go',
    knows: 'a shape that fails in every Go client, under Go’s flags',
    says: 'who is recorded, and that Go clients refuse it',
    mustNot: 'that all is well with it',
    make: async (stage) => {
      const prefix = 'truth/bad/list-go-flags';
      const id = await stage.contender(prefix, { name: 'listed', ttlMs: 600_000 });
      await stage.entry(prefix, JSON.stringify({ Limit: 2, Holders: [id] }));
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { limit: 2, recorded: 1, effective: 1, problems: [{ code: 'holders-wrong-type' }] },
      verdicts: { [id]: 'alive' },
      findings: ['unreadable-entry'],
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(1, 2, 1, 0), w.subject.sections.problems],
      lamps: { alive: 1, free: 1 },
    }),
    never: () => ({ verdicts: ['ghost'], rows: [{ problems: [] }] }),
  }),
  situation({
    title: 'wrong flags: a careless write set them to 0',
    knows: 'flags 0 on .lock, those of Go on the contender',
    says: 'wrong flags, as found: Go clients refuse this key',
    mustNot: 'other flags than those stored',
    make: async (stage) => {
      const prefix = 'truth/flags-zero';
      const id = await stage.contender(prefix, { name: 'unflagged', ttlMs: 600_000 });
      await stage.entry(prefix, newCoordination('map', 2, [id]), '0');
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { flags: '0', problems: [{ code: 'wrong-flags' }] },
      verdicts: { [id]: 'alive' },
      findings: ['wrong-flags'],
    }),
    screen: (_, w) => ({ has: [w.entryProblems['wrong-flags']('0'), w.subject.meta.flags('0')] }),
    never: () => ({ stored: [semaphoreFlags], verdicts: ['ghost'], rows: [{ problems: [] }] }),
  }),
  situation({
    title: 'wrong flags: rounded by a program that reads them as a float',
    knows: 'flags that differ in their last four digits',
    says: 'the exact flags, and that they are wrong',
    mustNot: 'that they are right: as floats the two are equal',
    make: async (stage) => {
      const prefix = 'truth/flags-rounded';
      await stage.entry(prefix, newCoordination('map', 2, []), '16210313421097357000');
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({
      row: { flags: '16210313421097357000', problems: [{ code: 'wrong-flags' }] },
      findings: ['wrong-flags'],
    }),
    screen: (_, w) => ({ has: [w.entryProblems['wrong-flags']('16210313421097357000')] }),
    never: (_, w) => ({
      stored: [semaphoreFlags],
      rows: [{ flags: semaphoreFlags }, { problems: [] }],
      texts: [w.subject.meta.flags(semaphoreFlags)],
    }),
  }),
  situation({
    title: 'lower-case fields with a map of holders: Go reads them all the same',
    knows: 'limit and holders in lower case',
    says: 'a semaphore as any other',
    mustNot: 'unreadable: clients work with it',
    make: async (stage) => {
      const prefix = 'truth/lower-case';
      const id = await stage.contender(prefix, { name: 'quiet', ttlMs: 600_000 });
      await stage.entry(prefix, JSON.stringify({ limit: 2, holders: { [id]: false } }));
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { layout: 'go-semaphore', limit: 2, recorded: 1, effective: 1, problems: [] },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.semaphore.slots(1, 2, 1, 0)], lamps: { alive: 1, free: 1 } }),
    never: () => ({ findings: ['unreadable-entry', 'wrong-flags'], verdicts: ['ghost'] }),
  }),
  situation({
    title: 'fields that no known client writes',
    knows: 'limit, holders and something more',
    says: 'the semaphore, and which fields are unknown',
    mustNot: 'unreadable: what is unknown is kept as it is',
    make: async (stage) => {
      const prefix = 'truth/unknown-fields';
      await stage.entry(prefix, '{"Limit":2,"Holders":{},"team":"payments","v":1.50}');
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({
      row: {
        layout: 'go-semaphore',
        limit: 2,
        recorded: 0,
        problems: [{ code: 'unknown-fields', detail: 'team, v' }],
      },
    }),
    screen: (_, w) => ({ has: [w.entryProblems['unknown-fields']('team, v')], lamps: { free: 2 } }),
    never: () => ({ findings: ['unreadable-entry'] }),
  }),
  situation({
    title: 'a value of 512 KiB',
    knows: 'the whole value, the largest that it takes',
    says: 'the semaphore, and the first 4 KiB of its value with its real size',
    mustNot: 'that the part shown is all of it',
    make: async (stage) => {
      const prefix = 'truth/big';
      const padding = 'x'.repeat(524_288 - '{"Limit":2,"Holders":{},"note":""}'.length);
      const put = await fetch(
        `http://${stage.consul.address}/v1/kv/${prefix}/.lock?flags=${semaphoreFlags}`,
        {
          method: 'PUT',
          body: `{"Limit":2,"Holders":{},"note":"${padding}"}`,
        },
      );
      if ((await put.text()) !== 'true') throw new Error('The big value was refused.');
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({ row: { limit: 2, recorded: 0, value: { bytes: 524_288, truncated: true } } }),
    screen: (_, w) => ({ has: [w.subject.raw.truncated('4.1 kB', '524.3 kB')], lamps: { free: 2 } }),
    never: () => ({ findings: ['unreadable-entry'], rows: [{ value: { truncated: false } }] }),
  }),
  situation({
    title: 'no .lock, and sessions contend',
    knows: 'contender entries of Go, and nothing that says how many may enter',
    says: 'that .lock is missing, and who contends',
    mustNot: 'a limit, a free slot, or a holder',
    make: async (stage) => {
      const prefix = 'truth/lock-missing';
      const id = await stage.contender(prefix, { name: 'lonely', ttlMs: 600_000 });
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: {
        limit: null,
        recorded: null,
        effective: null,
        flags: null,
        problems: [{ code: 'entry-missing' }],
      },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.entryProblems['entry-missing'](null), 'lonely'], blocked: [notWritten(w)] }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      rows: [{ recorded: 0 }, { waiters: [] }],
      texts: [...anySlots(w), w.subject.none.waiters],
    }),
  }),
  situation({
    title: '.lock was deleted under its holders',
    knows: 'that the record is gone; the entries of those who held are still locked',
    says: 'sessions that contend without a record',
    mustNot: 'that they hold, or that the slots are free',
    make: async (stage) => {
      const prefix = 'truth/deleted-under';
      const ids = [
        await stage.contender(prefix, { name: 'was-in-1', ttlMs: 600_000 }),
        await stage.contender(prefix, { name: 'was-in-2', ttlMs: 600_000 }),
      ];
      await stage.recorded(prefix, 2, ids);
      const row = (await stage.client.get(`${prefix}/.lock`)).value;
      await stage.client.deleteCas(`${prefix}/.lock`, row?.modifyIndex ?? '');
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({ row: { limit: null, holders: [], problems: [{ code: 'entry-missing' }] } }),
    screen: (_, w) => ({ has: [w.entryProblems['entry-missing'](null), 'was-in-1', 'was-in-2'] }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      rows: [{ recorded: 0 }, { waiters: [] }],
      texts: anySlots(w),
    }),
  }),
  situation({
    title: '.lock was deleted under the holders of a semaphore in the Java article’s layout',
    knows:
      'keys under semaphore/ that sessions lock under their own names; nothing that says how many may enter',
    says: 'that .lock is missing, and who contends',
    mustNot: 'that each of them holds a lock of its own',
    make: async (stage) => {
      const prefix = 'semaphore/truth-deleted-under';
      const ids = [
        await stage.contender(prefix, { name: 'java-1', ttlMs: 600_000, flags: '0' }),
        await stage.contender(prefix, { name: 'java-2', ttlMs: 600_000, flags: '0' }),
      ];
      await stage.recorded(prefix, 1, ids.slice(0, 1), 'list');
      const row = (await stage.client.get(`${prefix}/.lock`)).value;
      await stage.client.deleteCas(`${prefix}/.lock`, row?.modifyIndex ?? '');
      return { subject: semaphoreAt(prefix) };
    },
    api: () => ({
      row: { limit: null, holders: [], layout: 'java-semaphore', problems: [{ code: 'entry-missing' }] },
    }),
    screen: (_, w) => ({ has: [w.entryProblems['entry-missing'](null), 'java-1', 'java-2'] }),
    never: (_, w) => ({
      verdicts: ['ghost'],
      rows: [{ recorded: 0 }, { waiters: [] }],
      texts: anySlots(w),
    }),
  }),
  situation({
    title: 'a free lock that is only called .lock, beside members that lock keys of their own names',
    knows: 'a key that was locked and is free, and keys that sessions lock under their own names',
    says: 'a free lock',
    mustNot: 'that it is the entry of a semaphore, readable or not',
    make: async (stage) => {
      const [folder, key] = ['truth/members', 'truth/members/.lock'];
      for (const name of ['member-1', 'member-2']) {
        const id = await stage.session({ name, ttlMs: 600_000 });
        await stage.lock(`${folder}/${id}`, id);
      }
      const leader = await stage.session({ name: 'leader', ttlMs: 600_000, lockDelayMs: 0 });
      await stage.lock(key, leader, { value: 'host-1' });
      await stage.client.release({ key, value: Buffer.from('host-1'), flags: '0', session: leader });
      return { subject: lockAt(key) };
    },
    api: () => ({ row: { state: 'free', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free] }),
    never: () => ({ findings: ['unreadable-entry'], states: ['held'] }),
  }),
  situation({
    title: 'a plain lock where the coordination entry should be',
    knows: 'a .lock with the flags of a lock, and contenders of a semaphore beside it',
    says: 'that the key is something else: Go clients refuse it',
    mustNot: 'a limit or holders',
    make: async (stage) => {
      const prefix = 'truth/foreign';
      const lock = await stage.session({ name: 'Consul API Lock', ttlMs: 600_000 });
      await stage.lock(`${prefix}/.lock`, lock, { flags: lockFlags });
      const id = await stage.contender(prefix, { name: 'confused', ttlMs: 600_000 });
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { limit: null, recorded: null, problems: [{ code: 'wrong-flags' }] },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.entryProblems['wrong-flags'](lockFlags)], blocked: [notWritten(w)] }),
    never: (_, w) => ({
      rows: [{ recorded: 0 }, { recorded: 1 }, { limit: 1 }, { waiters: [] }],
      texts: anySlots(w),
    }),
  }),
];
