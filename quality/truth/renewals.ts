/** Renewals in an agent's log: the conclusions when they were seen and stop, and none when they were not. */
import { readFileSync } from 'node:fs';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lockAt, type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const prefix = 'truth/silent';
const subject = lockAt(`${prefix}/.lock`);

const silent = (stage: Stage) =>
  stage.once('the one that goes silent', async () => {
    const made = await stage.process({ n: 1, prefix });
    await stage.rowsWhen(`${prefix}/`, 'the lock', (rows) => rows.some((row) => row.session === made.id));
    return { subject, ...made };
  });

type Silent = Awaited<ReturnType<typeof silent>>;

/** The kernel's state of a process: `T` while it is stopped. */
const stateOf = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];

const stops: Turn<Silent> = {
  bring: async (_, { process: { pid } }) => process.kill(pid, 'SIGSTOP'),
  took: async (_, { process: { pid } }) => stateOf(pid) === 'T',
};

const goesOn: Turn<Silent> = {
  first: [stops],
  bring: async (_, { process: { pid } }) => process.kill(pid, 'SIGCONT'),
  took: async (_, { process: { pid } }) => stateOf(pid) !== 'T',
};

const renews = ({ id }: Silent) => ({
  row: { state: 'held' as const },
  verdicts: { [id]: 'alive' as const },
  evidence: ['renewal-observed' as const],
});

const zombieKey = 'truth/zombie/.lock';

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
    screen: (_, w) => ({ has: [w.verdicts.alive.word], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['overdue'],
      evidence: ['renewal-overdue'],
      texts: [w.subject.lock.bound.observed(any)],
    }),
  }),
  situation({
    title: 'a holder is stopped (SIGSTOP), and its next renewal is not yet missed',
    when: 'last',
    knows: 'its session, as before',
    says: 'alive: no renewal is overdue',
    mustNot: 'overdue before a whole TTL has passed',
    make: silent,
    turn: stops,
    from: renews,
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.verdicts.alive.word], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['suspect', 'ghost', 'overdue'], evidence: ['renewal-overdue'] }),
  }),
  situation({
    title: 'a holder whose renewals were seen and have stopped for more than a TTL',
    when: 'last',
    knows: 'its session: Consul ends it two TTLs after the last renewal',
    says: 'overdue: probably dead, with the instant at which Consul frees it at the latest',
    mustNot: 'surely dead, or alive',
    make: silent,
    turn: stops,
    from: renews,
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'observed', withinMs: 30_000 } } },
      verdicts: { [id]: 'overdue' },
      evidence: ['renewal-observed', 'renewal-overdue', 'session-exists'],
      findings: ['overdue-holder'],
    }),
    screen: (_, w) => ({ has: [w.verdicts.overdue.word, w.meanings.overdue], lamps: { overdue: 1 } }),
    never: () => ({ verdicts: ['suspect', 'ghost'], states: ['free', 'delayed'] }),
    after: () => ({ verdicts: ['alive'], evidence: ['renewals-not-observed'] }),
  }),
  situation({
    title: 'a holder that was overdue goes on (SIGCONT)',
    when: 'last',
    knows: 'its session, which never ended',
    says: 'alive again',
    mustNot: 'that it is still overdue, or that it was gone in between',
    make: silent,
    turn: goesOn,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'overdue' } }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { sessionId: id } },
      verdicts: { [id]: 'alive' },
      evidence: ['renewal-observed'],
    }),
    screen: (_, w) => ({ has: [w.verdicts.alive.word], lamps: { alive: 1 } }),
    never: () => ({ verdicts: ['suspect', 'ghost', 'unknown'], states: ['free', 'delayed'] }),
    after: () => ({ verdicts: ['overdue'], findings: ['overdue-holder'] }),
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
    turn: {
      bring: async (stage, { waiter }) => {
        // A process that fails may end its session on its way out. A killed one leaves everything.
        waiter.process.kill9();
        await waiter.process.exited;
        const row = await stage.row(zombieKey);
        const value = Buffer.from(row?.value.toString().replace('"Limit":2', '"Limit":3') ?? '');
        await stage.client.cas({
          key: zombieKey,
          value,
          flags: semaphoreFlags,
          index: row?.modifyIndex ?? '',
        });
      },
      took: async (stage, { waiter }) =>
        (await stage.row(zombieKey))?.value.includes('"Limit":3') === true && !(await stage.ended(waiter.id)),
    },
    from: ({ waiter }) => ({
      row: { limit: 2, recorded: 2, waiters: [{ sessionId: waiter.id }] },
      verdicts: { [waiter.id]: 'alive' },
    }),
    api: ({ waiter }) => ({
      row: {
        limit: 3,
        recorded: 2,
        waiters: [{ sessionId: waiter.id }],
      },
      evidence: ['limit-changed-while-waiting'],
      findings: ['limit-disagreement'],
    }),
    screen: (_, w) => ({ has: [w.subject.leftWaiting('2 -> 3')] }),
    never: () => ({
      verdicts: ['ghost', 'suspect'],
      findings: ['deadlock', 'herd'],
      rows: [{ waiters: [] }],
    }),
  }),
];
