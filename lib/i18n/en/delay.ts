/** English: why nobody can take a lock that nobody holds. Times and spans arrive formatted. */
import type { ProbeAnswer } from '@/lib/domain/seam/probe';
import { goneSentence } from './subject';

export const delay = {
  title: 'Why can nobody take it?',
  titleFree: 'Can it be taken?',
  /** Sentences for a delay that was seen to begin. */
  ended: (who: string, node: string, seen: string) =>
    `Its holder’s session ended: ${who} on ${node}. Signalbox saw that at ${seen}.`,
  refused: (length: string) =>
    `For ${length} after that, the session’s lock-delay, Consul refuses the key to everyone. That gives the old process, which may still be working, time to notice.`,
  over: (at: string, rest: string) => `It is over at ${at} at the latest, in ${rest}.`,
  /** In place of the two before, when it is over. */
  overNow: (length: string, at: string) =>
    `For ${length} after that, the session’s lock-delay, Consul refused the key to everyone. That was over at ${at} at the latest.`,
  retry: 'A waiting Go client tries again every 5\u00a0s, so the next holder may come up to 5\u00a0s later.',
  likely:
    'Several sessions came or went at that moment, so the key may have been released or deleted just before its session ended. Then there is no delay.',
  possible: (at: string) =>
    `It was most likely released just before. If it was not, Consul refuses the key to everyone until ${at} at the latest.`,
  gone: 'The key itself is gone. The delay belongs to its name and runs on: whoever creates the key anew is refused as well.',
  goneSentence,
  /** After the sentence that says by when a silent session ends. */
  afterEnd: (length: string) => `After that Consul refuses the lock for ${length} (lock-delay).`,
  /** Between two sentences. */
  gap: ' ',
  /** What is not known. */
  derived: 'Consul does not tell its own value: this is derived from what Signalbox saw.',
  unseenUntil: (since: string, until: string) =>
    `A lock-delay from before ${since} would not be known; it is over by ${until}, as Consul allows 60\u00a0s at the most.`,
  noneSince: (since: string) =>
    `No lock-delay is known to run: Signalbox has watched without a gap since ${since}, and saw no session end from which one would still run.`,
  /** For a key that is not in view: it may not exist, and its name may be under a delay all the same. */
  notInView:
    'A lock-delay belongs to a name, also when there is no such key. Whether one runs for this name is not known here.',
  blind:
    'Whether a lock-delay runs is not known: ends of sessions are not seen right now, or the session list may not be read.',
  facts: {
    session: 'session that ended',
    seen: 'end seen',
    length: 'its lock-delay',
    over: 'over at',
    rest: 'still',
  },
  probe: {
    button: 'Ask Consul now',
    explain:
      'Asks Consul’s leader for the key on behalf of a session that cannot exist. That is always refused, and the reason tells. It changes no key, no lock and no session; while no delay runs it costs one entry in the Raft log. It needs key:write. One press asks once.',
    asking: 'Asking…',
    again: 'Asked a moment ago.',
    answers: {
      delayed: (at: string) => `${at}: refused by lock-delay right now.`,
      'not-delayed': (at: string) => `${at}: no lock-delay runs at this moment.`,
      'cannot-tell': (at: string) => `${at}: Consul’s answer tells neither.`,
    } satisfies Record<ProbeAnswer, (at: string) => string>,
    failed: (why: string) => `No answer: ${why}`,
    notAllowed: {
      own: 'Your token may not write this key (key:write), so Consul does not say.',
      server: 'The token of this server may not write this key (key:write), so Consul does not say.',
    },
  },
};
