/** English: why a free lock cannot be taken. Times and spans arrive formatted. */
import type { ProbeAnswer } from '@/lib/domain/seam/probe';
import { delay as shown } from '@/lib/i18n/en/subject';

export const delay = {
  ...shown,
  title: 'Why can no client take it?',
  titleFree: 'Can it be taken?',
  /** Sentences for a delay that was seen to begin. */
  ended: (who: string, node: string, seen: string) =>
    `Its holder’s session ended: ${who} on ${node}. Signalbox saw that at ${seen}.`,
  refused: (length: string) =>
    `Consul then refuses the key to everyone for ${length}, the session’s lock-delay. The old process may still be working; the delay gives it time to notice.`,
  over: (at: string, rest: string) => `It ends by ${at}, in ${rest}.`,
  /** Replaces the two before, when the delay is over. */
  overNow: (length: string, at: string) =>
    `Consul then refused the key to everyone for ${length}, the session’s lock-delay. That ended by ${at}.`,
  retry: 'A waiting Go client retries every 5\u00a0s. The next holder may come up to 5\u00a0s later.',
  likely:
    'Several sessions came or went at that moment. The key may have been released or deleted just before its session ended. Then no delay runs.',
  possible: (at: string) =>
    `Its holder most likely released it just before. If not, Consul refuses the key to everyone until ${at} at the latest.`,
  gone: 'The key is gone. The delay belongs to its name and continues: Consul also refuses a client that recreates the key.',
  /** Follows the sentence about the end of a silent session. */
  afterEnd: (length: string) => `After that Consul refuses the lock for ${length} (lock-delay).`,
  /** Between two sentences. */
  gap: ' ',
  /** The unknown part. */
  derived: 'Signalbox derives this from what it saw. Consul does not publish its own value.',
  unseenUntil: (since: string, until: string) =>
    `Signalbox cannot know a lock-delay from before ${since}. It ends by ${until}: Consul allows at most 60\u00a0s.`,
  /** `from`: the datacenter of the agent. */
  across: (datacenter: string, from: string | null) =>
    `Signalbox reads the datacenter ${datacenter} through an agent of ${from ?? 'another one'}, so it sees the end of a session a little later. A lock-delay holds in its own datacenter only.`,
  noneSince: (since: string) =>
    `No known lock-delay runs. Signalbox has watched without a gap since ${since} and saw no session end that would still cause one.`,
  /** The key may not exist, and its name may be under a delay all the same. */
  notInView:
    'A lock-delay belongs to a name, even without a key. Signalbox does not know whether one runs for this name.',
  blind:
    'Signalbox does not know whether a lock-delay runs. It cannot see sessions end right now, or may not read the session list.',
  facts: {
    session: 'session that ended',
    seen: 'end seen',
    length: 'its lock-delay',
    over: 'ends at',
    rest: 'left',
  },
  probe: {
    button: 'Ask Consul now',
    explain:
      'Asks Consul’s leader for the key with an impossible session; Consul refuses and says why. It changes no key, no lock and no session. Without a delay it costs one Raft log entry. It needs key:write. One press asks once.',
    asking: 'Asking…',
    again: 'Asked a moment ago.',
    answers: {
      delayed: (at: string) => `${at}: a lock-delay refuses it right now.`,
      'not-delayed': (at: string) => `${at}: no lock-delay runs right now.`,
      'cannot-tell': (at: string) => `${at}: Consul’s answer does not say.`,
    } satisfies Record<ProbeAnswer, (at: string) => string>,
    failed: (why: string) => `No answer: ${why}`,
    notAllowed: {
      own: 'Your token may not write this key (key:write). Consul does not say.',
      server: 'This server’s token may not write this key (key:write). Consul does not say.',
    },
  },
};
