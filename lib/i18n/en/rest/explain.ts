/** English: why a lock or semaphore is stuck. Names, times and spans arrive formatted. */
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Verdict } from '@/lib/domain/model';
import { capital, counted } from '@/lib/i18n/en/plural';

type Holds = Capabilities['holds'];

/** Follows a holder's name; `n`: the number of holders. */
const states: Readonly<Record<Verdict, (n: number) => string>> = {
  alive: (n) => (n === 1 ? 'shows signs of life' : 'show signs of life'),
  overdue: (n) => (n === 1 ? 'is probably dead' : 'are probably dead'),
  suspect: (n) => (n === 1 ? 'is likely dead or cut off' : 'are likely dead or cut off'),
  'node-bound': (n) =>
    `may be dead: nothing shows whether ${n === 1 ? 'its process lives' : 'their processes live'}`,
  immortal: (n) =>
    `may be dead: nothing shows whether ${n === 1 ? 'its process lives' : 'their processes live'}`,
  ghost: (n) => (n === 1 ? 'is gone' : 'are gone'),
  unknown: (n) => `cannot be judged: a fact about ${n === 1 ? 'it' : 'them'} is not visible`,
};

const clients = (n: number) => capital(counted(n, 'client waits', 'clients wait'));

export const explain = {
  title: 'Why it is stuck',
  /** No finding says that anything is wrong with it. */
  waitTitle: 'Why clients wait',
  /** Over the evidence of each sentence. */
  rests: 'What this rests on',
  blocks: {
    deadlock: (n: number, first: string, second: string, behind: number) =>
      `${
        n === 2
          ? `${first} and ${second} each hold what the other waits for, so neither can proceed.`
          : `${capital(counted(n, 'client holds', 'clients hold'))} what the others wait for (${first}, ${second} and others), so none can proceed.`
      }${behind === 0 ? '' : ` ${clients(behind)} behind them.`}`,
    root: (who: string, name: string, verdict: Verdict, since: string | null) =>
      verdict === 'ghost'
        ? `The root is ${name}: a slot of it leaks.`
        : `The root is ${who}: it has held ${name} ${since ?? 'for an unknown time'}, waits for nothing in view, and ${states[verdict](1)}.`,
    passesOn: (who: string, name: string, here: boolean) =>
      `${who} waits for ${name} and meanwhile holds ${here ? 'this one' : 'what the next one waits for'}.`,
    between: (n: number) =>
      `${capital(counted(n, 'more client stands', 'more clients stand'))} between them.`,
    holder: (who: string, verdict: Verdict, since: string | null, more: number) =>
      verdict === 'ghost'
        ? `It is recorded for ${who}, which is gone.`
        : `${who} has held it ${since ?? 'for an unknown time'}${more === 0 ? '' : `, beside ${counted(more, 'more reader', 'more readers')}`}, and ${states[verdict](1)}.`,
    slots: (recorded: number, limit: number | null) =>
      limit === null
        ? `${capital(counted(recorded, 'slot is', 'slots are'))} taken; the limit is not known.`
        : limit === 1 && recorded === 1
          ? 'The one slot here is taken.'
          : `${recorded} of ${limit} slots here are taken.`,
    holders: (n: number, who: string, verdict: Verdict, since: string | null, holds: Holds) => {
      if (verdict === 'ghost')
        return holds === 'lease'
          ? `${capital(counted(n, 'has expired and is not swept', 'have expired and are not swept'))}.`
          : `${capital(counted(n, 'slot leaks', 'slots leak'))}: ${holds === 'session' ? (n === 1 ? 'its session holds nothing here' : 'their sessions hold nothing here') : n === 1 ? 'its client is gone' : 'their clients are gone'}.`;
      const held =
        since === null
          ? ''
          : n === 1
            ? ` It has held its slot ${since}.`
            : ` ${who} has held its slot ${since}.`;
      return `${n === 1 ? who : capital(counted(n, 'holder', 'holders'))} ${states[verdict](n)}.${held}`;
    },
    unlisted: (n: number) =>
      `${capital(counted(n, 'more recorded holder is', 'more recorded holders are'))} only counted.`,
    unnamed: 'Who holds the permits is not stored.',
    free: 'Nobody holds it.',
    refused: (until: string | null) =>
      `Nobody holds it, and the lock-delay refuses it to everyone${until === null ? '' : ` until ${until} at the latest`}.`,
    unknown: 'Whether anybody holds it cannot be told.',
    holdersHidden: 'Some entries here may not be read, so who holds a slot and who waits cannot be told.',
    unreadable: 'Its record is not understood, so who holds a slot cannot be told.',
    waits: (n: number, who: string | null, since: string | null) =>
      n === 0
        ? 'Nobody waits.'
        : n === 1 && who !== null
          ? `${who} has waited ${since ?? 'for an unknown time'}.`
          : `${clients(n)}${who === null || since === null ? '' : `, ${who} ${since}`}.`,
    waitsCounted: (n: number) =>
      n === 0 ? 'No client is counted as waiting.' : `${clients(n)}: counted, not named.`,
    waitsUntold: {
      'no-trace': 'Who waits leaves no trace in the backend.',
      'not-counted': 'How many wait is not known.',
    },
    waitsHidden: 'There may be waiters that you may not see.',
    deadHead: (who: string, behind: number) =>
      `${who} is first in the queue and seems to be gone or stuck; ${behind === 0 ? 'nobody waits behind it yet' : `${counted(behind, 'client waits', 'clients wait')} behind it`}.`,
    asleep: (n: number) =>
      `Nobody holds it, and ${counted(n, 'client sleeps', 'clients sleep')} beside it unwoken.`,
  },
  since: {
    exact: (age: string, time: string) => `for ${age}, since ${time}`,
    atLeast: (age: string) => `for at least ${age}`,
  },
  ends: {
    silent: (who: string, at: string, holds: Holds) =>
      `If ${who} stays silent, its ${holds === 'lease' ? 'lease' : 'session'} ends by ${at}.`,
    lease: (who: string, at: string) => `The lease of ${who} ends at ${at} unless renewed.`,
    dead: (who: string, within: string, holds: Holds) =>
      `${who} may let go at any time; if its process is dead, its ${holds === 'lease' ? 'lease' : 'session'} ends within ${within}.`,
    thenRefused: (length: string, until: string | null) =>
      `Consul then refuses the lock for ${length}${until === null ? '' : `, until ${until} at the latest`}.`,
    node: (who: string, node: string | null) =>
      `${who} may let go at any time; otherwise its session ends only when ${node === null ? 'the server that it is bound to' : `node ${node}`} fails or leaves.`,
    never: (who: string) => `${who} may let go at any time; nothing else ends it by itself.`,
    leak: {
      session: 'Nothing frees a leaked slot by itself, unless a client that comes prunes it.',
      lease: 'The next client that asks sweeps what has expired.',
      entry: 'Nothing frees a leaked slot by itself.',
    } satisfies Record<Holds, string>,
    hidden: (who: string) =>
      `When ${who} ends cannot be told: its session is not visible, for lack of a right or because it has ended.`,
    untold: (who: string) => `${who} may let go at any time; what else would end it, no fact in view says.`,
    noneOfThem: 'Nothing in view ends it by itself while all of them wait.',
    delay: (at: string) => `The lock-delay is over by ${at}.`,
    waitersTimeOut: 'They wake when their own time is over; when that is, nothing says.',
    deadHeadStays: (who: string) => `When ${who} leaves the queue by itself cannot be told.`,
    entryStays: 'Nothing in view mends the record by itself.',
  },
  now: {
    /** `what`: verb, object and place. */
    action: (what: string) => `To end it now: ${what}.`,
    refused: (why: string) => `Signalbox cannot end it now. ${why}`,
    none: 'Signalbox proposes no action that would end it now.',
  },
};
