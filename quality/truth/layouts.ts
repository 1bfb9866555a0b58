/** Shapes that known programs leave, made by these programs or as their source says (see `test/record`). */

import { formatDuration } from '@/lib/i18n/format/format';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { many } from '@/quality/truth/text';
import { written } from '@/test/record/layouts';

/** Makes a recorded scenario once, because several rows look at parts of it. */
const scenario = (stage: Stage, name: string) =>
  stage.once(name, async () => {
    const found = written.find((one) => one.name === name);
    const ids = await found?.make(stage);
    if (ids == null) throw new Error(`There is no scenario ${name}.`);
    return ids;
  });

const lockOf = async (stage: Stage, name: string, key: string) => {
  const [id = ''] = await scenario(stage, name);
  return { subject: lockAt(key), id };
};

const patroni = (stage: Stage) =>
  stage.once('patroni', async () => {
    const login = (member: string) =>
      stage.session({ name: `batman-${member}`, ttlMs: 15_000, behavior: 'delete', lockDelayMs: 1 });
    const id = await login('pg-1');
    const member = JSON.stringify({
      conn_url: 'postgres://10.0.0.1:5432/postgres',
      api_url: 'http://10.0.0.1:8008/patroni',
      state: 'running',
      role: 'master',
      version: '3.0.2',
    });
    await stage.lock('truth/service/batman/members/pg-1', id, { value: member });
    // Without another member there would be no failover.
    await stage.lock('truth/service/batman/members/pg-2', await login('pg-2'), {
      value: JSON.stringify({ conn_url: 'postgres://10.0.0.2:5432/postgres', state: 'running' }),
    });
    await stage.lock('truth/service/batman/leader', id, { value: 'pg-1' });
    return id;
  });

export const layouts: readonly Situation[] = [
  situation({
    title: 'Go api.Lock, held',
    knows: 'a key with the flags of api.Lock, and JSON that its holder wrote',
    says: 'Go api.Lock, under the name that the value gives',
    mustNot: 'the name that every session of the library has',
    make: (stage) => lockOf(stage, 'go-lock', 'rec/go/leader'),
    api: ({ id }) => ({
      row: { layout: 'go-lock', state: 'held', holder: { label: 'web-7' } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.layouts['go-lock'].name, 'web-7'], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['unknown'],
      rows: [{ holder: { label: 'Consul API Lock' } }],
      texts: [w.subject.lock.held('alive', 'Consul API Lock', null)],
    }),
  }),
  situation({
    title: 'Go api.Lock, given back before Signalbox looked',
    knows: 'a key that was acquired once and is free',
    says: 'a lock, free',
    mustNot: 'in delay, or no lock at all',
    make: (stage) => lockOf(stage, 'go-lock', 'rec/go/released'),
    api: () => ({ row: { layout: 'go-lock', state: 'free', lockIndex: '1' } }),
    screen: (_, w) => ({ has: [w.subject.lock.free] }),
    never: () => ({ states: ['delayed', 'held', 'unknown'] }),
  }),
  situation({
    title: 'Terraform: a run holds its state',
    knows: 'the lock, and lock info with who, what and since when',
    says: 'who runs what, since the time that the lock info names',
    mustNot: 'that Signalbox saw it begin, or that a release ends the run',
    make: (stage) => lockOf(stage, 'terraform', 'rec/tf/prod/.lock'),
    api: ({ id }) => ({
      row: { layout: 'terraform', state: 'held', holder: { label: 'ada@laptop', since: { basis: 'value' } } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: ['ada@laptop', w.since.valueBasis, w.layouts.terraform.caution ?? ''] }),
    never: (_, w) => ({
      states: ['free', 'delayed'],
      rows: [{ holder: { since: { basis: 'observed' } } }, { holder: { since: { basis: 'at-least' } } }],
      texts: [w.since.observedBasis, w.since.atLeastBasis],
    }),
  }),
  situation({
    title: 'Terraform: lock info left behind by a run that is gone',
    knows: 'a free lock, and info that names a session that does not hold it',
    says: 'free',
    mustNot: 'that the one in the lock info holds it',
    make: (stage) => lockOf(stage, 'terraform', 'rec/tf/stage/.lock'),
    api: () => ({ row: { state: 'free', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free, w.subject.lockInfo.of('ada@laptop')] }),
    never: () => ({ states: ['held'], verdicts: ['alive', 'ghost'] }),
  }),
  situation({
    title: 'Vault: the active node',
    knows: 'the HA lock and its session',
    says: 'Vault, and that a release makes it step down',
    mustNot: 'a plain lock like any other',
    make: (stage) => lockOf(stage, 'vault', 'rec/vault/core/lock'),
    api: ({ id }) => ({ row: { layout: 'vault', state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.layouts.vault.name, w.layouts.vault.caution ?? ''] }),
    never: (_, w) => ({
      findings: ['no-lock-delay'],
      rows: [{ layout: 'plain' }, { layout: 'go-lock' }],
      texts: [w.layouts.plain.name, w.layouts['go-lock'].name],
    }),
  }),
  situation({
    title: 'Patroni: the leader',
    knows: 'two keys that one session locks, with a lock-delay of 1 ms',
    says: 'the leading member, and that ending its session fails over at once',
    mustNot: 'that a lock-delay protects it for long',
    make: async (stage) => ({ subject: lockAt('truth/service/batman/leader'), id: await patroni(stage) }),
    api: ({ id }) => ({
      row: { layout: 'patroni-leader', holder: { label: 'pg-1' } },
      verdicts: { [id]: 'alive' },
      findings: ['no-lock-delay'],
    }),
    screen: (_, w) => ({
      has: ['pg-1', w.layouts['patroni-leader'].caution ?? '', 'truth/service/batman/members/pg-1'],
    }),
    never: (_, w) => ({
      states: ['free', 'delayed'],
      texts: [w.subject.delay.lock(formatDuration(15_000, w.units))],
    }),
  }),
  situation({
    title: 'Patroni: a member',
    knows: 'a key with the member’s own record',
    says: 'a member, with its role and state',
    mustNot: 'a lock that somebody waits for',
    make: async (stage) => ({
      subject: lockAt('truth/service/batman/members/pg-1'),
      id: await patroni(stage),
    }),
    api: ({ id }) => ({
      row: { layout: 'patroni-member', holder: { label: 'pg-1' } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.layouts['patroni-member'].name, 'running'] }),
    never: (_, w) => ({
      states: ['free', 'delayed'],
      texts: [w.subject.none.waiters, w.board.waitingLong(1), w.board.waitingLong(many)],
    }),
  }),
  situation({
    title: 'consul-template: de-duplication, written over by its leader',
    knows: 'binary data, and an index that a plain write set to 0',
    says: 'consul-template, held',
    mustNot: 'that it was never acquired',
    make: (stage) =>
      lockOf(stage, 'consul-template', 'rec/consul-template/dedup/0123456789abcdef0123456789abcdef/data'),
    api: ({ id }) => ({
      row: { layout: 'consul-template', state: 'held', lockIndex: '0' },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.layouts['consul-template'].name, w.subject.raw.base64] }),
    never: (_, w) => ({ states: ['free', 'unknown'], texts: [w.subject.none.holder] }),
  }),
  situation({
    title: 'the Java article’s lock, held',
    knows: 'a value with a local time and no zone',
    says: 'the time as it is written, and that the holder never looks again',
    mustNot: 'that time as an instant since when it holds',
    make: (stage) => lockOf(stage, 'java-lock', 'lock/rec-held'),
    api: ({ id }) => ({
      row: { layout: 'java-lock', holder: { since: { basis: 'at-least' } } },
      verdicts: { [id]: 'node-bound' },
    }),
    screen: (_, w) => ({ has: ['2026-11-21T05:00:00.123', w.layouts['java-lock'].caution ?? ''] }),
    never: (_, w) => ({
      verdicts: ['alive'],
      rows: [{ holder: { since: { basis: 'value' } } }],
      texts: [w.since.valueBasis],
    }),
  }),
  situation({
    title: 'the Java article’s lock, given back',
    knows: 'a value that says unlock',
    says: 'free',
    mustNot: 'held',
    make: (stage) => lockOf(stage, 'java-lock', 'lock/rec-free'),
    api: () => ({ row: { layout: 'java-lock', state: 'free', holder: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.free] }),
    never: () => ({ states: ['held', 'delayed'] }),
  }),
  situation({
    title: 'the Java article’s semaphore, full with a waiter',
    knows: 'a list of holders in lower case, flags 0, sessions without TTL',
    says: 'the Java layout; its holders end only with their node',
    mustNot: 'wrong flags, or that a holder is alive',
    make: async (stage) => {
      const ids = await scenario(stage, 'java-semaphore');
      return { subject: semaphoreAt('semaphore/rec-java'), ids };
    },
    api: ({ ids: [one = '', two = '', waiter = ''] }) => ({
      row: { layout: 'java-semaphore', limit: 2, recorded: 2, effective: 2, problems: [] },
      verdicts: { [one]: 'node-bound', [two]: 'node-bound', [waiter]: 'node-bound' },
      findings: ['endless-holder'],
    }),
    screen: (_, w) => ({
      has: [w.subject.semaphore.slots(2, 2, 2, 1), w.layouts['java-semaphore'].caution ?? ''],
    }),
    never: () => ({ verdicts: ['alive', 'ghost'], findings: ['wrong-flags', 'unreadable-entry'] }),
  }),
  situation({
    title: 'the guide’s semaphore: a list with capital names',
    knows: 'a list of holders, flags 0, owners in the entries',
    says: 'the holders by the names that their entries give',
    mustNot: 'wrong flags: no Go client contends here',
    make: async (stage) => {
      const ids = await scenario(stage, 'guide-list');
      return { subject: semaphoreAt('rec/guide'), ids };
    },
    api: ({ ids: [ada = '', grace = ''] }) => ({
      row: { layout: 'guide-list', limit: 2, recorded: 2, problems: [] },
      verdicts: { [ada]: 'alive', [grace]: 'alive' },
    }),
    screen: (_, w) => ({ has: ['ada', 'grace', w.layouts['guide-list'].caution ?? ''] }),
    never: () => ({ findings: ['wrong-flags', 'unreadable-entry'] }),
  }),
  situation({
    title: 'a plain acquire on any key',
    knows: 'a key that a session locks, with flags 0 and a value of its own',
    says: 'held, and that what its program notices is not known',
    mustNot: 'a library that it does not come from',
    make: async (stage) => {
      const id = await stage.session({ name: 'backup', ttlMs: null });
      await stage.lock('truth/python/backup', id, { value: 'host-a:4711' });
      return { subject: lockAt('truth/python/backup'), id };
    },
    api: ({ id }) => ({
      row: { layout: 'plain', state: 'held', value: { content: 'host-a:4711' }, holder: { label: 'backup' } },
      verdicts: { [id]: 'node-bound' },
    }),
    screen: (_, w) => ({ has: ['host-a:4711', w.layouts.plain.name] }),
    never: (_, w) => ({
      verdicts: ['alive'],
      rows: [{ layout: 'go-lock' }, { layout: 'consul-lock' }],
      texts: [w.layouts['go-lock'].name, w.layouts['consul-lock'].name],
    }),
  }),
  situation({
    title: 'a holder that wrote over its own lock key',
    knows: 'a lock index of 0 beside a session that locks it',
    says: 'held, with the lock index as it is',
    mustNot: 'a fencing token that grows',
    make: async (stage) => {
      const id = await stage.session({ name: 'overwriter', ttlMs: 600_000 });
      await stage.lock('truth/overwritten', id, { flags: lockFlags, value: 'first' });
      await stage.put('truth/overwritten', 'second', lockFlags);
      return { subject: lockAt('truth/overwritten'), id };
    },
    api: ({ id }) => ({
      row: { state: 'held', lockIndex: '0', value: { content: 'second' } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: ['second', w.subject.raw.lockIndex] }),
    never: (_, w) => ({
      states: ['free', 'unknown'],
      rows: [{ lockIndex: '1' }, { lockIndex: '2' }],
      texts: [w.subject.none.holder],
    }),
  }),
];
