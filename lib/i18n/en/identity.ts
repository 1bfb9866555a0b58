/** English: the person, signing in and out, and a token's rights. */
import type { NeededFacts } from '@/lib/domain/identity';
import type { Sayings } from '@/lib/domain/message';
import type { ProblemCode } from '@/lib/domain/problem';
import { formatCount } from '@/lib/i18n/format/format';
import { shell } from './shell';

export const who = {
  label: (name: string) => `You are ${name}`,
  anonymous: 'anonymous',
  signIn: 'Sign in',
  token: (id: string) => `Signed in with the Consul token ${id}.`,
  proxy: 'The proxy before Signalbox says so.',
  nobody: {
    on: 'Not signed in: you see what Signalbox’s own token may read.',
    off: 'Consul requires no tokens here. You are anonymous.',
    unknown: 'Signalbox cannot find out right now whether Consul requires tokens.',
  },
  ends: (idle: string, latest: string) =>
    `The sign-in ends at ${idle} without activity on any page, and at ${latest} at the latest.`,
  endsOnly: (when: string) => `The sign-in ends by ${when}.`,
  signInOther: 'Sign in as another user',
  signOut: 'Sign out',
  signingOut: 'Signing out…',
  /** Precedes the reason. */
  notSignedOut: 'You may still be signed in. Try again.',
};

/** Without a row here the reason alone is shown. */
const refused: Readonly<Partial<Record<ProblemCode, string>>> = {
  'signed-out':
    'Consul does not know this token. Check that it is complete, belongs to this cluster and still exists.',
  unavailable:
    'Signalbox could not check the token. Nothing has changed. The token stays in the field: try again.',
  'no-leader':
    'Consul has no leader right now. Signalbox could not check the token. The token stays in the field: try again.',
  busy: 'The token stays in the field.',
};

export const identity = {
  login: {
    title: 'Sign in',
    /** `null`: unknown before a sign-in. */
    to: (datacenter: string | null) =>
      datacenter === null ? 'Consul at' : `Consul, datacenter ${datacenter}, at`,
    /** For a stranger who may not look. */
    toUnnamed: 'Use a token of the Consul watched here. Its name appears after you sign in.',
    token: 'Consul token',
    tokenHelp: 'The secret id of a token, as in CONSUL_HTTP_TOKEN.',
    button: 'Sign in',
    checking: 'Asking Consul…',
    empty: 'Paste a token first.',
    usedTitle: 'How Signalbox uses the token',
    used: 'Signalbox reads and writes Consul with it. You see what it may read and do what it may write. No other user does.',
    keptTitle: 'Where Signalbox keeps it',
    kept: 'Sealed in a cookie that no script can read, until you sign out or the sign-in ends. It is not in this page, its address, its storage or any log.',
    withoutTitle: 'Without a token',
    without: {
      see: 'You see what Signalbox’s own token may read. Sign in to act.',
      nothing: 'You see nothing.',
      unknown:
        'Signalbox cannot find out right now whether Consul requires tokens. Until then it shows nothing without one.',
    },
    goOn: 'Continue without signing in',
    off: {
      title: 'No sign-in needed.',
      text: 'Consul requires no tokens here: its access control is off. Signalbox’s start-up settings decide what everyone sees and may do.',
      goOn: 'Go to the page',
    },
    already: (name: string) => `You are signed in as ${name}.`,
    proxy: (name: string) => `The proxy in front of Signalbox identifies you as ${name}.`,
    stay: (name: string) => `Continue as ${name}`,
    other: 'To switch user, sign in with another token.',
    refused,
  },
  who,
  out: {
    title: shell.signedOut,
    /** Follows the reason. */
    cleared: 'Signalbox cleared this page. Sign in to restore it.',
    other: (name: string) => `This browser is now signed in as ${name}.`,
    goOnAs: (name: string) => `Continue as ${name}`,
    goOnWithout: 'Continue without signing in',
    draft:
      'An open action was not sent. Your input returns when you sign in here with the same token. Other users will not see it.',
    sent: 'An action was just sent. Its outcome is unknown here. Check its subject before you repeat it.',
  },
  rights: {
    asking: 'Asking Consul whether your token may do this.',
    /** `rules`: '' from an older server, which names none. */
    no: (rules: string) => `Your token may not do this.${rules && ` Consul requires ${rules}.`}`,
    needs: {
      'write-entry': ({ key }) => `key:write on ${key}`,
      'write-folder': ({ prefix }) => `key:write under ${prefix}/`,
      'write-semaphores': ({ count }) => `key:write on the .lock of ${count} semaphores`,
      'end-session': ({ node }) =>
        node === null ? 'session:write on the node of the session' : `session:write on the node ${node}`,
      'redis-command': ({ command }) => command,
    } satisfies Sayings<NeededFacts>,
    and: ' and ',
    redis: (commands: string) => `The user of Signalbox in Redis may not run ${commands} here.`,
    unknown: 'Consul has not said whether your token may do this. It decides when you act.',
  },
};

/** Shown where access control may hide everything, or everything of a kind, from the viewer. */
/** Consul leaves out what a token may not read, and does not always say that it did. */
const left = 'Signalbox shows only what this token may read. It cannot tell hidden from absent.';

export const sight = {
  left,
  /** On the board and on the page of findings. */
  nothing: 'Nothing in view. Whether anything needs attention is unknown.',
  /** Counts without a session in view. `held`: something is held all the same. */
  counts: (locks: number, semaphores: number, held: boolean) =>
    `${formatCount(locks)} ${locks === 1 ? 'lock' : 'locks'}, ${formatCount(semaphores)} ${
      semaphores === 1 ? 'semaphore' : 'semaphores'
    }, no session in view${held ? ': this token may not read the sessions of holders' : ''}.`,
  /** The number of sessions, where no lock and no semaphore is in view. */
  sessionsAlone: (n: number) =>
    `${formatCount(n)} ${n === 1 ? 'session' : 'sessions'}, no locks or semaphores in view.`,
  /** Replaces an empty list of locks. */
  noLock: 'A lock that it may read appears here when a client takes it.',
  noSession: 'No sessions in view.',
  /** Something is held all the same. */
  noneOfThem: 'No sessions in view: this token may not read the sessions of holders here.',
  /** Replaces an empty list of sessions. */
  needed:
    'Every lock and every slot needs a session. A session that it may read appears here when it is created.',
  /** Instead of what sessions hold and want, where no lock and no semaphore is in view. */
  noKey: (sessions: number) =>
    `${formatCount(sessions)} ${sessions === 1 ? 'session' : 'sessions'} in view. What ${
      sessions === 1 ? 'it holds' : 'they hold'
    } is unknown: no lock or semaphore is in view. Signalbox shows only keys that this token may read.`,
  /**
   * On the page of findings, where something is held and no session is in view. Verdicts rest on more than the person
   * may see.
   */
  withheld: 'Signalbox judges the holders, but this token may not read their sessions.',
  /** The same, where it is judged by what the person may see. */
  unjudged: 'Signalbox cannot judge the holders: this token may not read their sessions.',
};
