/** Keys of any form: each must have its own page, and none may be mistaken for another. */
import { randomUUID } from 'node:crypto';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Keys, lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { any } from '@/quality/truth/text';
import { putRuled } from '@/test/support/ruled-keys';

const odd: readonly (readonly [title: string, key: string, knows: string, keys?: Keys])[] = [
  ['spaces and unicode', 'truth/keys/Zürich büro ☂ 鍵', 'a key of any characters'],
  ['an empty part', 'truth/keys//double', 'a key that no path can name; transactions take it'],
  [
    'dots that climb',
    'truth/keys/../up',
    'a key that a path would fold into another; transactions take it before Consul 2.0',
    'any',
  ],
  [
    'a leading slash',
    '/truth/keys/leading',
    'a key that a path would lose the slash of; transactions take it before Consul 2.0',
    'any',
  ],
  ['a trailing slash', 'truth/keys/folder/', 'a key of its own, beside the one without the slash'],
  [
    'percent signs',
    'truth/keys/50%25 %2F off',
    'a key that decodes to another one; transactions take it before Consul 2.0',
    'any',
  ],
  ['markup', 'truth/keys/<script>window.hostile=1</script>"&\'', 'a key of any characters'],
  ['what a query is made of', 'truth/keys/a?b=c&d#e+f', 'a key of any characters'],
  ['a tab', 'truth/keys/tab\there', 'a key with a control character'],
  ['very long', `truth/keys/long/${'segment-'.repeat(180)}end`, 'a key of 1,450 characters'],
];

/** The keys that such a server can store. */
const ruled: readonly (readonly [title: string, key: string])[] = [
  ['a leading slash', '/truth/ruled/leading'],
  ['dots that climb', '../truth/ruled/climb'],
  ['a space at the end', 'truth/ruled/end '],
  ['percent signs', 'truth/ruled/%20'],
];

export const keys: readonly Situation[] = [
  ...odd.map(([title, key, knows, on], i) =>
    situation({
      title: `an odd key: ${title}`,
      ...(on === undefined ? {} : { keys: on }),
      knows,
      says: 'the lock under exactly this key, on its own page',
      mustNot: 'another key, or nothing',
      make: async (stage) => {
        const id = await stage.session({ name: `odd-${i}`, ttlMs: 600_000, behavior: 'delete' });
        await stage.lock(key, id, { flags: lockFlags });
        return { subject: lockAt(key), id };
      },
      api: ({ id }) => ({
        row: { key, state: 'held', holder: { sessionId: id } },
        verdicts: { [id]: 'alive' },
      }),
      screen: () => ({ has: [`odd-${i}`, key.replaceAll('\t', ' ')] }),
      never: (_, w) => ({ texts: [w.subject.notInView.lock], verdicts: ['unknown'], listed: false }),
    }),
  ),
  ...ruled.map(([title, key], i) =>
    situation({
      title: `a key that Consul 2.0 and later refuse: ${title}`,
      keys: 'ruled',
      knows: 'an entry from before, which it neither writes nor deletes any more',
      says: 'the lock under exactly this key, freed by the end of its session alone',
      mustNot: 'another key, or nothing',
      make: async (stage) => {
        const id = await stage.session({ name: `ruled-${i}`, ttlMs: 600_000, behavior: 'delete' });
        await putRuled(stage.consul, stage.client, { key, session: id, flags: lockFlags });
        return { subject: lockAt(key), id };
      },
      api: ({ id }) => ({
        row: { key, state: 'held', holder: { sessionId: id }, unwritable: true },
        verdicts: { [id]: 'alive' },
      }),
      screen: () => ({ has: [`ruled-${i}`, key] }),
      never: (_, w) => ({ texts: [w.subject.notInView.lock], verdicts: ['unknown'], listed: false }),
    }),
  ),
  situation({
    title: 'a semaphore under a prefix that Consul 2.0 and later refuse',
    keys: 'ruled',
    knows: 'a record from before, which it does not change any more',
    says: 'the leaked slot, and that Consul refuses to write the key',
    mustNot: 'a prune or another limit that could be pressed',
    make: async (stage) => {
      const prefix = '/truth/ruled/pool';
      const id = await stage.session({ name: 'ruled-holder', ttlMs: 600_000, behavior: 'delete' });
      const put = (key: string, value: string, session: string | null) =>
        putRuled(stage.consul, stage.client, { key, value, session, flags: semaphoreFlags });
      await put(`${prefix}/${id}`, '', id);
      await put(`${prefix}/.lock`, newCoordination('map', 3, [id, randomUUID()]).toString(), null);
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({
      row: { limit: 3, recorded: 2, effective: 1, unwritable: true },
      verdicts: { [id]: 'alive' },
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({
      has: ['ruled-holder'],
      blocked: [
        { name: w.action.buttons['semaphore.prune'](1), why: w.why['key-refused']({}) },
        { name: w.action.buttons['semaphore.resize'], why: w.why['key-refused']({}) },
      ],
    }),
    never: (_, w) => ({
      enabled: [w.action.buttons['semaphore.prune'](1), w.action.buttons['semaphore.evict'](any)],
      texts: [w.subject.notInView.semaphore],
      listed: false,
    }),
  }),
  situation({
    title: 'an odd prefix: a semaphore under a name with spaces and a percent sign',
    knows: 'a prefix of any characters',
    says: 'the semaphore under exactly this prefix',
    mustNot: 'another prefix, or nothing',
    make: async (stage) => {
      const prefix = 'truth/keys/job 100% 東京';
      const id = await stage.contender(prefix, { name: 'tokyo', ttlMs: 600_000 });
      await stage.recorded(prefix, 2, [id]);
      return { subject: semaphoreAt(prefix), id };
    },
    api: ({ id }) => ({ row: { limit: 2, recorded: 1, effective: 1 }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: ['tokyo', 'job 100% 東京'] }),
    never: (_, w) => ({ texts: [w.subject.notInView.semaphore], listed: false, rows: [{ recorded: 0 }] }),
  }),
  situation({
    title: 'a lock with a binary value',
    knows: 'bytes that are no text',
    says: 'the bytes as base64, and that they are no text',
    mustNot: 'text that was made of them',
    make: async (stage) => {
      const id = await stage.session({ name: 'binary', ttlMs: 600_000 });
      await stage.lock('truth/binary', id, {
        flags: '0',
        value: Buffer.from([0x1f, 0x8b, 0x00, 0xff, 0x01]),
      });
      return { subject: lockAt('truth/binary'), id };
    },
    api: ({ id }) => ({
      row: { value: { encoding: 'base64', content: 'H4sA/wE=', bytes: 5 } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: ['H4sA/wE=', w.subject.raw.base64] }),
    never: (_, w) => ({
      stored: ['\ufffd', '\u0000'],
      rows: [{ value: { encoding: 'text' } }],
      texts: [w.subject.raw.empty],
    }),
  }),
  situation({
    title: 'a lock whose value is markup and control characters',
    knows: 'bytes that would act on a terminal',
    says: 'the bytes as base64',
    mustNot: 'the control characters themselves',
    make: async (stage) => {
      const id = await stage.session({ name: 'escape', ttlMs: 600_000 });
      await stage.lock('truth/escape', id, {
        flags: '0',
        value: '\u001b[31m<script>window.hostile=1</script>',
      });
      return { subject: lockAt('truth/escape'), id };
    },
    api: ({ id }) => ({ row: { value: { encoding: 'base64' } }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.subject.raw.base64] }),
    never: (_, w) => ({
      stored: ['\u001b'],
      rows: [{ value: { encoding: 'text' } }],
      texts: [w.subject.raw.empty],
    }),
  }),
];
