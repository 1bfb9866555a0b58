/** English: who somebody is. */
import { whoButton } from './who-button';

export const who = {
  ...whoButton,
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
