/** English: what each finding says, in full. In one clause: `findings.ts`; who can mend it: `owners.ts`. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { LockLayout } from '@/lib/domain/layout';
import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted, countWord } from './plural';

const waitFor = (waiting: number | null, full: 0 | 1 = 0) => {
  if (waiting === null) return ' Who waits for it is not visible.';
  if (waiting === 0) return '';
  const who = counted(waiting, 'session waits', 'sessions wait');
  return full === 1 ? ` Every slot is taken and ${who}.` : ` ${capital(who)}.`;
};

const span = (ms: number) => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);

/** Why a lock-delay of next to nothing was chosen, where that is known. */
const whyNoDelay: Partial<Record<LockLayout, string>> = {
  'patroni-leader':
    ' Patroni asks for that so that a replica can take over at once. A leader that cannot renew demotes itself; one that hangs is stopped by its watchdog only.',
  'consul-template':
    ' consul-template asks for that: two instances that render at the same moment write the same result.',
};

export const reports: { readonly [C in FindingCode]: (facts: FindingFacts[C]) => string } = {
  'ghost-slots': ({ ghosts }) =>
    `${capital(counted(ghosts, 'slot leaks', 'slots leak'))}: recorded for sessions that hold nothing here. Nothing frees ${ghosts === 1 ? 'it' : 'them'} until a client that prunes comes by, or a person prunes.`,
  'over-limit': ({ effective, limit, layout }) =>
    `${capital(counted(effective, 'session really holds', 'sessions really hold'))} a slot where the limit is ${limit}.${
      layout === 'java-semaphore'
        ? ' Clients of this layout compare for equality: beyond the limit they let in everybody who asks.'
        : ''
    }`,
  'overdue-holder': ({ holders, label, waiting, full }) =>
    `${holders === 1 ? `${label} is` : `${capital(countWord(holders))} holders are`} probably dead: ${
      holders === 1 ? 'its renewals were' : 'their renewals were'
    } seen and have stopped for more than one TTL. Consul ends the session two TTLs after the last renewal.${waitFor(waiting, full)}`,
  'suspect-holder': ({ holders, label, waiting, full, endless }) =>
    `${holders === 1 ? `${label} is` : `${capital(countWord(holders))} holders are`} likely dead or cut off: a node or a check is critical.${
      endless === 1 ? ' Nothing but a person ends the session.' : ''
    }${waitFor(waiting, full)}`,
  'endless-holder': ({ holders, verdict, label, node, waiting }) =>
    `${
      holders > 1
        ? `${capital(countWord(holders))} holders hold by sessions that do not end when their processes die.`
        : verdict === 'immortal'
          ? `${label} holds by a session with no TTL and no check. Should its process die, nothing frees it but a person.`
          : `${label} holds by a session without a TTL. Should its process die, it holds on for as long as ${node === null ? 'its node' : `node ${node}`} lives.`
    }${waitFor(waiting)}`,
  'unreadable-entry': ({ contenders }) =>
    `The coordination entry breaks its clients${
      contenders === null
        ? '. Some may contend whom you may not see.'
        : contenders === 0
          ? '. Nobody is there now.'
          : `: ${counted(contenders, 'contender is', 'contenders are')} there.`
    }`,
  'wrong-flags': ({ flags, contenders }) =>
    `The flags are ${flags ?? 'not known'}, not those of a semaphore: Go clients refuse this key${
      contenders === null
        ? '. Some may contend whom you may not see.'
        : contenders === 0
          ? '.'
          : `. ${capital(counted(contenders, 'contender is', 'contenders are'))} there.`
    }`,
  'limit-disagreement': ({ limit, asked, clients, waiting }) =>
    `The limit is ${limit}, but ${counted(clients, 'client', 'clients')} ${
      asked === null ? 'came under another one' : `${clients === 1 ? 'asks' : 'ask'} for another (${asked})`
    }.${
      waiting === 0
        ? ''
        : ` ${capital(counted(waiting, 'of them waits', 'of them wait'))}; a Go client gives up at once and leaves its entry behind.`
    }`,
  herd: ({ crowd, limit }) =>
    `${crowd} sessions wait for ${limit === null ? 'slots' : counted(limit, 'slot', 'slots')} and do not queue: each change wakes all of them, and each reads the whole prefix (about ${formatCount(crowd * crowd)} entries) for one that gets in.`,
  flapping: ({ changes, windowMs, holdMs }) =>
    `It changed hands ${changes} times in the last ${span(windowMs)}: a holder keeps it for ${span(holdMs)} on average. To take and give it back costs about as much as can be done in that time.`,
  deadlock: ({ clients, first, second, behind, owners }) =>
    `Deadlock: ${
      clients === 2
        ? `${first} and ${second} each hold what the other waits for`
        : `${countWord(clients)} clients (${first}, ${second} and others) hold all that they wait for themselves`
    }. None of them can go on${behind === 0 ? '' : `, and ${counted(behind, 'more client waits', 'more clients wait')} behind them`}.${
      owners === 0
        ? ''
        : ` ${capital(counted(owners, 'client has', 'clients have'))} several sessions, taken for one because their entries name the same owner.`
    }`,
  'no-lock-delay': ({ delayMs, layout }) =>
    `Split-brain hazard: the lock-delay is ${delayMs === 0 ? '0' : span(delayMs)}. When the session ends, the next holder may start while the old process still works.${whyNoDelay[layout] ?? ''}`,
  'session-leak': () =>
    'This session holds nothing, wants no slot and has no TTL: it stays until someone ends it. Whether it waits for a plain lock is not visible.',
};
