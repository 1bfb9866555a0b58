/** English: the full text of each finding. The clause is in `../findings.ts`. */
import { capabilities } from '@/lib/domain/capabilities';
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { LockLayout } from '@/lib/domain/layout';
import { capital, counted, countWord } from '@/lib/i18n/en/plural';
import { formatCount } from '@/lib/i18n/format/format';

type Holds = FindingFacts['ghost-slots']['holds'];

const waitFor = (waiting: number | null, full: 0 | 1 = 0, holds: Holds = 'session') => {
  if (waiting === null) return ' Its waiters are not visible.';
  if (waiting === 0) return '';
  const who =
    holds === 'session'
      ? counted(waiting, 'session waits', 'sessions wait')
      : counted(waiting, 'client waits', 'clients wait');
  return full === 1 ? ` Every slot is taken and ${who}.` : ` ${capital(who)}.`;
};

const span = (ms: number) => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);

/** Known reasons for a lock-delay near zero. */
const whyNoDelay: Partial<Record<LockLayout, string>> = {
  'patroni-leader':
    ' Patroni sets this so that a replica can take over at once. A leader that cannot renew demotes itself. Only its watchdog stops one that hangs.',
  'consul-template': ' consul-template sets this: two instances that render at once write the same result.',
};

export const reports: { readonly [C in FindingCode]: (facts: FindingFacts[C]) => string } = {
  'ghost-slots': ({ ghosts, holds }) =>
    holds === 'lease'
      ? `${capital(counted(ghosts, 'permit has', 'permits have'))} expired and ${ghosts === 1 ? 'is' : 'are'} still recorded. The next client that asks sweeps ${ghosts === 1 ? 'it' : 'them'}; until then nobody who sleeps is woken for ${ghosts === 1 ? 'it' : 'them'}.`
      : holds === 'entry'
        ? `${capital(counted(ghosts, 'slot leaks', 'slots leak'))}: ${ghosts === 1 ? 'its client is' : 'their clients are'} gone. Nothing frees ${ghosts === 1 ? 'it' : 'them'} until a person removes the ${ghosts === 1 ? 'entry' : 'entries'}.`
        : `${capital(counted(ghosts, 'slot leaks', 'slots leak'))}: ${ghosts === 1 ? 'its session holds' : 'their sessions hold'} nothing here. Nothing frees ${ghosts === 1 ? 'it' : 'them'} until a client or a person prunes ${ghosts === 1 ? 'it' : 'them'}.`,
  'over-limit': ({ effective, limit, layout }) =>
    `${capital(
      capabilities[layout].holds === 'session'
        ? counted(effective, 'session really holds', 'sessions really hold')
        : counted(effective, 'client really holds', 'clients really hold'),
    )} a slot; the limit is ${limit}.${
      layout === 'java-semaphore'
        ? ' Clients of this type compare for equality: beyond the limit they admit every client that asks.'
        : ''
    }`,
  'overdue-holder': ({ holders, label, waiting, full, holds }) =>
    `${holders === 1 ? `${label} is` : `${capital(countWord(holders))} holders are`} probably dead: ${
      holds === 'entry'
        ? `no server has a connection of ${holders === 1 ? 'its client. Its' : 'their clients. Each'} session ends at its time-out, unless the client comes back.`
        : `${holders === 1 ? 'its renewals' : 'their renewals'} ${
            holds === 'lease'
              ? 'of the lease were seen and have stopped. The lease ends by itself.'
              : 'stopped more than one TTL ago. Consul ends the session two TTLs after the last renewal.'
          }`
    }${waitFor(waiting, full, holds)}`,
  'suspect-holder': ({ holders, label, waiting, full, endless, holds }) =>
    `${holders === 1 ? `${label} is` : `${capital(countWord(holders))} holders are`} likely dead or cut off${
      holds === 'session' ? ': a node or a check is critical.' : '.'
    }${
      endless === 1 ? ` Only a person can ${holds === 'session' ? 'end the session' : 'free it'}.` : ''
    }${waitFor(waiting, full, holds)}`,
  'endless-holder': ({ holders, verdict, label, node, onServer, waiting, holds }) =>
    `${
      holds !== 'session'
        ? `${holders > 1 ? `${capital(countWord(holders))} holders have` : `${label} has`} no lease that ends. If ${holders > 1 ? 'a process of theirs' : 'its process'} dies, only a person can free what it holds.`
        : holders > 1
          ? `${capital(countWord(holders))} holders’ sessions outlive their processes.`
          : verdict === 'immortal'
            ? `The session of ${label} has no TTL and no check. If its process dies, only a person can free it.`
            : onServer === 1
              ? `The session of ${label} has no TTL and is bound to a Consul server. If its process or machine dies, it holds as long as that server lives.`
              : `The session of ${label} has no TTL. If its process dies, it holds as long as ${node === null ? 'its session’s node' : `node ${node}`} lives.`
    }${waitFor(waiting, 0, holds)}`,
  'unreadable-entry': ({ contenders }) =>
    `The coordination entry breaks its clients${
      contenders === null
        ? '. There may be contenders that you may not see.'
        : contenders === 0
          ? '. No contender exists now.'
          : `: ${counted(contenders, 'contender is', 'contenders are')} there.`
    }`,
  'wrong-flags': ({ flags, contenders }) =>
    `The flags are ${flags ?? 'unknown'}, not a semaphore’s: Go clients refuse this key${
      contenders === null
        ? '. There may be contenders that you may not see.'
        : contenders === 0
          ? '.'
          : `. ${capital(counted(contenders, 'contender is', 'contenders are'))} there.`
    }`,
  'limit-disagreement': ({ limit, asked, clients, waiting }) =>
    `The limit is ${limit}, but ${counted(clients, 'client', 'clients')} ${
      asked === null ? 'came under another limit' : `${clients === 1 ? 'asks' : 'ask'} for another (${asked})`
    }.${
      waiting === 0
        ? ''
        : ` ${capital(counted(waiting, 'of them waits', 'of them wait'))}; a Go client fails at once and leaves its entry behind.`
    }`,
  herd: ({ crowd, limit }) =>
    `${crowd} sessions wait for ${limit === null ? 'slots' : counted(limit, 'slot', 'slots')} without a queue. Each change wakes all of them. Each reads the whole prefix (about ${formatCount(crowd * crowd)} entries), and one gets in.`,
  flapping: ({ changes, windowMs, holdMs }) =>
    `It changed hands ${changes} times in the last ${span(windowMs)}. A holder keeps it ${span(holdMs)} on average, about what taking and releasing it costs.`,
  deadlock: ({ clients, first, second, behind, owners }) =>
    `Deadlock: ${
      clients === 2
        ? `${first} and ${second} each hold what the other waits for`
        : `${countWord(clients)} clients (${first}, ${second} and others) hold everything that they wait for`
    }. ${clients === 2 ? 'Neither' : 'None of them'} can proceed${behind === 0 ? '' : `, and ${counted(behind, 'more client waits', 'more clients wait')} behind them`}.${
      owners === 0
        ? ''
        : ` Signalbox matched the sessions of ${counted(owners, 'client', 'clients')} by owner name.`
    }`,
  'dead-queue-head': ({ label, behind, free }) =>
    `${label} is first in the queue and seems to be gone or stuck.${
      free === 1 ? ' It is free, and nobody gets it.' : ''
    }${
      behind === 0
        ? ' Whoever queues now waits behind it.'
        : ` ${capital(counted(behind, 'client waits', 'clients wait'))} behind it.`
    }`,
  'sleeping-waiters': ({ waiting }) =>
    `Nobody holds it, and ${counted(waiting, 'client sleeps', 'clients sleep')} beside it: the message that wakes them was lost or never sent. They sleep until their own time is over.`,
  'sleeping-readers': ({ waiting }) =>
    `Its writer let go and still reads, and Redisson sends no message then. ${counted(waiting, 'client that waited for the writer waits', 'clients that waited for the writer wait')} on. A client that wants to read sleeps, although it could read now. One that wants to write has to wait.`,
  'same-thread-removed': ({ label }) =>
    `Signalbox removed ${label} from another lock while it held this one. If both are parts of one MultiLock, its unlock() may throw at the removed part, and this one then stays locked and renewed.`,
  'no-lock-delay': ({ delayMs, layout }) =>
    `Split-brain hazard: the lock-delay is ${delayMs === 0 ? '0' : span(delayMs)}. When the session ends, the next holder may start while the old process still works.${whyNoDelay[layout] ?? ''}`,
  'session-leak': () =>
    'This session holds nothing, waits for no slot and has no TTL. It stays until a client or a person ends it. Consul does not record whether it waits for a plain lock.',
};
