/** Renewals on an agent's log: what follows when they were seen and stop, and what does not when they were not. */
import { semaphoreFlags } from '@/lib/consul/recognise/coordination';
import { en } from '@/lib/words/messages';
import { lockAt, type Situation, semaphoreAt, situation } from '@/test/truth/situation';
import type { Stage } from '@/test/truth/stage';

const prefix = 'truth/silent';
const subject = lockAt(`${prefix}/.lock`);

const silent = (stage: Stage) =>
  stage.once('the one that goes silent', async () => {
    const made = await stage.process({ n: 1, prefix });
    await stage.rowsWhen(`${prefix}/`, 'the lock', (rows) => rows.some((row) => row.session === made.id));
    return { subject, ...made };
  });

const stops = async (stage: Stage) =>
  stage.once('it is stopped', async () => {
    process.kill((await silent(stage)).process.pid, 'SIGSTOP');
  });

export const renewals: readonly Situation[] = [
  situation({
    title: 'a holder whose renewals are seen on the agent',
    when: 'last',
    knows: 'nothing of renewals; the agent’s log names each one that goes through it',
    says: 'alive, with the last renewal that was seen and the agent that saw it',
    mustNot: 'a fixed end: it moves with every renewal',
    make: silent,
    api: ({ id }) => ({
      row: { holder: { expiry: { kind: 'observed', latestMs: null, lastRenewalMs: null } } },
      verdicts: { [id]: 'alive' },
      evidence: ['renewal-observed'],
    }),
    screen: () => ({ has: [en.verdicts.alive.word], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['overdue'], evidence: ['renewals-not-observed', 'renewal-overdue'] }),
  }),
  situation({
    title: 'a holder is stopped (SIGSTOP), and its next renewal is not yet missed',
    when: 'last',
    knows: 'its session, as before',
    says: 'alive: no renewal is overdue',
    mustNot: 'overdue before a whole TTL has passed',
    make: silent,
    turn: stops,
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: () => ({ has: [en.verdicts.alive.word], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['suspect', 'ghost'], evidence: ['renewal-overdue'] }),
  }),
  situation({
    title: 'a holder whose renewals were seen and have stopped for more than a TTL',
    when: 'last',
    knows: 'its session: Consul ends it two TTLs after the last renewal',
    says: 'overdue: probably dead, with the instant at which Consul frees it at the latest',
    mustNot: 'surely dead, or alive',
    make: silent,
    turn: stops,
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'observed', withinMs: 30_000 } } },
      verdicts: { [id]: 'overdue' },
      evidence: ['renewal-observed', 'renewal-overdue', 'session-exists'],
      findings: ['overdue-holder'],
    }),
    screen: () => ({ has: [en.verdicts.overdue.word, /probably dead/], lamps: { overdue: 1 } }),
    never: () => ({ verdicts: ['alive', 'suspect', 'ghost'], evidence: ['renewals-not-observed'] }),
  }),
  situation({
    title: 'a holder that was overdue goes on (SIGCONT)',
    when: 'last',
    knows: 'its session, which never ended',
    says: 'alive again',
    mustNot: 'that it is still overdue, or that it was gone in between',
    make: silent,
    turn: async (_stage, { process: { pid } }) => void process.kill(pid, 'SIGCONT'),
    api: ({ id }) => ({
      row: { state: 'held', holder: { sessionId: id } },
      verdicts: { [id]: 'alive' },
      evidence: ['renewal-observed'],
    }),
    screen: () => ({ has: [en.verdicts.alive.word], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['overdue', 'suspect'], findings: ['overdue-holder'] }),
  }),
  situation({
    title: 'the limit is changed under a waiting consul lock that leaves its entry behind',
    when: 'last',
    knows: 'the entry of a waiter; that its process is gone, Consul does not know',
    says: 'a waiter that was there when the limit changed, and may be left over',
    mustNot: 'a waiter like any other, or surely dead',
    make: async (stage) => {
      const at = 'truth/zombie';
      const holders = [await stage.process({ n: 2, prefix: at }), await stage.process({ n: 2, prefix: at })];
      const waiter = await stage.process({ n: 2, prefix: at });
      await stage.rowsWhen(`${at}/`, 'two holders', (rows) =>
        rows.some(
          (row) => row.key.endsWith('/.lock') && holders.every(({ id }) => row.value.toString().includes(id)),
        ),
      );
      return { subject: semaphoreAt(at), waiter };
    },
    turn: async (stage, { waiter }) => {
      // One that fails may still end its session on its way out; one that is killed leaves everything.
      waiter.process.kill9();
      await waiter.process.exited;
      const key = 'truth/zombie/.lock';
      const row = (await stage.client.get(key, { consistency: 'consistent' })).value;
      const value = Buffer.from(row?.value.toString().replace('"Limit":2', '"Limit":3') ?? '');
      await stage.client.cas({ key, value, flags: semaphoreFlags, index: row?.modifyIndex ?? '' });
    },
    api: ({ waiter }) => ({
      row: {
        limit: 3,
        recorded: 2,
        waiters: [{ sessionId: waiter.id }],
      },
      evidence: ['limit-changed-while-waiting'],
      findings: ['limit-disagreement'],
    }),
    screen: () => ({ has: [en.subject.leftWaiting('2 -> 3')] }),
    never: () => ({ verdicts: ['ghost'], findings: ['deadlock', 'herd'] }),
  }),
];
