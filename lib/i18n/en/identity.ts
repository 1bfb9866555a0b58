/** English: who somebody is, signing in and out, and what a token may do. */
import type { NeededFacts } from '@/lib/domain/identity';
import type { ProblemCode } from '@/lib/domain/problem';
import type { Sayings } from '@/lib/domain/said';
import { shell } from './shell';

export const who = {
  label: (name: string) => `Who you are: ${name}`,
  anonymous: 'anonymous',
  signIn: 'Sign in',
  token: (id: string) => `Signed in with the Consul token ${id}.`,
  proxy: 'The proxy before Signalbox says so.',
  nobody: {
    on: 'Not signed in: you see what Signalbox’s own token may read.',
    off: 'Consul does not ask for tokens here, so nobody knows who you are.',
    unknown: 'Whether Consul asks for tokens cannot be found out right now.',
  },
  ends: (idle: string, latest: string) =>
    `The sign-in ends at ${idle} if nothing is done on any page until then, and at ${latest} at the latest.`,
  endsOnly: (when: string) => `The sign-in ends at ${when} at the latest.`,
  signInOther: 'Sign in as somebody else',
  signOut: 'Sign out',
  signingOut: 'Signing out…',
  /** Before the reason. */
  notSignedOut: 'Whether you are signed out is not known. Try again.',
};

/** Why a token was not taken, and what to do. What has no row is said by its reason alone. */
const refused: Readonly<Partial<Record<ProblemCode, string>>> = {
  'signed-out':
    'Consul does not know this token. See whether it is whole, whether it is meant for this cluster, and whether it has been deleted.',
  unavailable: 'The token could not be checked, so nothing has changed. It stays in the field: try again.',
  'no-leader':
    'Consul has no leader right now, so the token could not be checked. It stays in the field: try again.',
  busy: 'It stays in the field.',
};

export const identity = {
  login: {
    title: 'Sign in',
    /** Where the token goes. `null`: not known before anybody has signed in. */
    to: (datacenter: string | null) =>
      datacenter === null ? 'Consul at' : `Consul, datacenter ${datacenter}, at`,
    /** For a stranger who may not look. */
    toUnnamed: 'With a token of the Consul that is watched here. Which one that is shows once you are in.',
    token: 'Consul token',
    tokenHelp: 'The secret id of a token, as in CONSUL_HTTP_TOKEN.',
    button: 'Sign in',
    checking: 'Asking Consul…',
    empty: 'Paste a token first.',
    usedTitle: 'What the token is used for',
    used: 'Signalbox reads and writes Consul with it, so you see what it may read, and do what it may write. Nobody else does.',
    keptTitle: 'Where it is kept',
    kept: 'Sealed in a cookie that no script can read, until you sign out or the sign-in ends. This page, its address and its storage hold nothing of it, and no log does.',
    withoutTitle: 'Without a token',
    without: {
      see: 'You can look at what Signalbox’s own token may read. To act, sign in.',
      nothing: 'Nothing is shown.',
      unknown:
        'Whether Consul asks for tokens cannot be found out right now. Until then nothing is shown without one.',
    },
    goOn: 'Go on without signing in',
    off: {
      title: 'There is nothing to sign in to.',
      text: 'Consul does not ask for tokens here: its access control is off. What everybody sees and may do is decided by how Signalbox was started.',
      goOn: 'Go to the page',
    },
    already: (name: string) => `You are signed in as ${name}.`,
    proxy: (name: string) => `The proxy before Signalbox says that you are ${name}.`,
    stay: (name: string) => `Go on as ${name}`,
    other: 'To be somebody else, sign in with another token.',
    refused,
  },
  who,
  out: {
    title: shell.signedOut,
    /** After why. */
    cleared: 'What this page showed has been taken off it. Sign in, and it comes back as it was.',
    other: (name: string) => `This browser is signed in as ${name} now.`,
    goOnAs: (name: string) => `Go on as ${name}`,
    goOnWithout: 'Go on without signing in',
    draft:
      'An action was open and has not been sent. What you had typed comes back when you sign in here with the same token; somebody else will not see it.',
    sent: 'An action had just been sent. What came of it is not known here: look at its subject again before you repeat it.',
  },
  rights: {
    asking: 'Asking Consul whether your token may do this.',
    /** `rules`: '' from an older server, which names none. */
    no: (rules: string) => `Your token may not do this.${rules && ` Consul asks for ${rules}.`}`,
    needs: {
      'write-entry': ({ key }) => `key:write on ${key}`,
      'write-folder': ({ prefix }) => `key:write under ${prefix}/`,
      'write-semaphores': ({ count }) => `key:write on the .lock of ${count} semaphores`,
      'end-session': ({ node }) =>
        node === null ? 'session:write on the node of the session' : `session:write on the node ${node}`,
    } satisfies Sayings<NeededFacts>,
    and: ' and ',
    unknown: 'Consul has not said whether your token may do this. It decides when you do it.',
  },
};
