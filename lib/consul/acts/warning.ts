/** The consequences in words. Each sentence states what Consul or the client will do, never what might be nice. */

import type { KnownSession } from '@/lib/consul/view';
import type { Warning, WarningCode } from '@/lib/domain/action';
import { type Layout, type LayoutTraits, layouts } from '@/lib/domain/layout';
import type { Party, Verdict } from '@/lib/domain/model';
import type { Fresh } from './fresh';

const warn = (code: WarningCode, text: string): Warning => ({ code, text });

export const seconds = (ms: number) => `${Math.round(ms) / 1000} s`;
const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

export const notConditional = warn(
  'not-conditional',
  'Consul destroys a session without any condition. Signalbox compares everything just before, but a change in the last milliseconds cannot be excluded.',
);

/** The session itself is left alone. */
export function sessionLivesOn(session: KnownSession | null): Warning {
  const endless = session !== null && session.row.ttlMs === null;
  return warn(
    'session-lives-on',
    `The session lives on, with everything else that it holds.${
      endless ? ' It has no TTL, so it stays when its process dies.' : ''
    }`,
  );
}

export const mayRetakeLock = warn(
  'may-retake',
  'Nothing delays the next acquisition: anyone may take the lock at once, the same holder too.',
);

export const mayRetakeSlot = warn(
  'may-retake',
  'A client that still runs may take a slot again with the same session.',
);

export const noLockDelayForSlots = warn(
  'no-lock-delay',
  'Semaphores have no lock-delay: the next waiter starts at once, possibly before the evicted process has stopped.',
);

export const noLockDelayByUnlock = warn(
  'no-lock-delay',
  'A hand-over sets no lock-delay: the next holder may begin while the old process is still working.',
);

export const clientsRecreate = (what: string) =>
  warn('clients-recreate', `Clients make ${what} again when they come back, with their own settings.`);

export const answerLost = warn(
  'answer-lost',
  'The answer of Consul was lost on the way. What is told here was read afterwards.',
);

export const notReadBack = warn(
  'view-incomplete',
  'It was written, but the state could not be read back just now.',
);

/** What protects the next holder of a lock whose session is destroyed. */
export function lockDelay(session: KnownSession | null): Warning {
  if (session === null)
    return warn(
      'lock-delay-protects',
      'The session cannot be seen, so its lock-delay is not known. Consul uses 15 s where a client did not set one, and never more than 60 s.',
    );
  const { lockDelayMs } = session.row;
  if (lockDelayMs === 0)
    return warn('no-lock-delay', 'This session has no lock-delay: the next holder may begin at once.');
  return warn(
    'lock-delay-protects',
    `For ${seconds(lockDelayMs)} Consul then refuses the lock to everyone, so that the old holder can notice. The next holder begins after that.`,
  );
}

/** Said when nothing suggests that the process is dead. */
export function splitBrain(session: KnownSession | null): Warning[] {
  if (session?.nodeStatus !== 'passing') return [];
  return [
    warn(
      'split-brain',
      `Node ${session.row.node} is healthy, so the process may still be working. If it has not noticed when the next holder begins, two work at once.`,
    ),
  ];
}

export function holdsMore(others: number): Warning[] {
  if (others === 0) return [];
  return [warn('holds-more', `The session holds ${count(others, 'other key')} as well, and loses them too.`)];
}

/** What an evicted or released process is told, by its layout. */
export function holderTold(layout: Layout): Warning[] {
  const learns: Readonly<Record<LayoutTraits['holderLearns'], string | null>> = {
    yes: null,
    no: 'Clients of this layout never check that they still hold: the process works on and is not told.',
    unknown: 'Whether the process notices depends on its program; nothing tells it.',
  };
  const text = learns[layouts[layout].holderLearns];
  return text === null ? [] : [warn('holder-not-told', text)];
}

/** A slot's holder: Go clients notice, with a grace for their child. */
export function slotHolderTold(layout: Layout): Warning[] {
  if (layouts[layout].holderLearns !== 'yes') return holderTold(layout);
  return [
    warn(
      'holder-not-told',
      'Go clients notice within milliseconds; consul lock then gives its command 5 s to end, during which it runs beside its successor.',
    ),
  ];
}

export function layoutCaution(layout: Layout): Warning[] {
  const { caution } = layouts[layout];
  return caution === null ? [] : [warn('layout-caution', caution)];
}

export function viewIncomplete(fresh: Fresh): Warning[] {
  if (fresh.complete) return [];
  return [
    warn('view-incomplete', 'Not every key could be read, so the session may hold more than is listed here.'),
  ];
}

/** What a new limit does to the clients of a map (`api/semaphore.go` compares the stored limit with its own). */
export function resizeMap({ waiters, limit }: { waiters: number; limit: number }): Warning[] {
  return [
    warn(
      'waiters-fail',
      `${
        waiters === 0
          ? 'Nobody waits now; a Go client that waits by then fails at once'
          : `Of ${count(waiters, 'waiter')}, those that are Go clients (consul lock, api.Semaphore) fail at once`
      } with "semaphore limit conflict", and cannot come back until redeployed with ${limit}. Consul does not know which clients they are.`,
    ),
    warn(
      'restarts-fail',
      `Clients that start with another n fail as well until they ask for ${limit}. Holders go on.`,
    ),
    warn(
      'limit-forgotten',
      'The last consul lock to leave deletes the coordination entry, and the new limit with it.',
    ),
    ...(limit === 1
      ? [
          warn(
            'limit-one',
            'consul lock -n=1 is a plain lock and refuses this entry, so a limit of 1 is impossible for its users.',
          ),
        ]
      : []),
  ];
}

export function overLimit({ holders, limit }: { holders: number; limit: number }): Warning[] {
  if (holders <= limit) return [];
  return [
    warn(
      'over-limit',
      `${count(holders, 'holder')} stay: a smaller limit evicts nobody, and no one is admitted before fewer than ${limit} hold.`,
    ),
  ];
}

/** Verdicts after which the process is likely dead; after any other it may well be at work. */
const likelyDead: ReadonlySet<Verdict> = new Set(['suspect', 'overdue', 'ghost']);

/**
 * How much ceremony one holder deserves, and the name to type for one that may be at work: its label where a keyboard
 * can write it, else the first eight characters of its session.
 */
export function frictionFor(party: Party | null): {
  friction: 'reason' | 'type-name';
  confirmName: string | null;
} {
  if (party === null || likelyDead.has(party.verdict)) return { friction: 'reason', confirmName: null };
  const typeable = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(party.label);
  return { friction: 'type-name', confirmName: typeable ? party.label : party.sessionId.slice(0, 8) };
}
