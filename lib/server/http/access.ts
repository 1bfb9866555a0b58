/**
 * What follows for one person from what the operator decided, from whether the backend asks for credentials, and
 * from who the person is. Pure; the one place where these rules stand.
 *
 * With access control on, the backend decides what each credential sees and does, and nobody writes with the
 * server's own. Without it there is no identity in the backend: then it matters who can reach this server.
 */
import type { AccessControl, Identity } from '@/lib/domain/identity';
import type { Why } from '@/lib/domain/refusal';
import { isLoopbackName } from '@/lib/server/http/host';
import type { Env } from '@/lib/server/process/env';

/**
 * Whether this person may write at all; if not, why. `loopback`: allowed because only this machine
 * reaches the server, so only under a name of this machine: a page elsewhere may point its own name at 127.0.0.1, and
 * its requests then count as same-origin (DNS rebinding).
 */
export type ActionsAllowed =
  | { readonly allowed: true; readonly hosts: 'any' | 'loopback' }
  | { readonly allowed: false; readonly reason: Why };

type Decided = Pick<Env, 'mode' | 'actions' | 'anonymous' | 'loopback'>;
type NoFacts = Extract<Why, { readonly facts: Readonly<Record<string, never>> }>['code'];

const no = (code: NoFacts): ActionsAllowed => ({ allowed: false, reason: { code, facts: {} } as Why });

/** May this person write? The backend still has the last word on each write. */
export function mayAct(env: Decided, control: AccessControl, identity: Identity): ActionsAllowed {
  if (env.mode === 'read-only') return no('read-only-mode');
  if (env.actions === 'off') return no('actions-off');
  if (control === 'unknown') return no('access-unknown');
  // The credential is the person's own, so where they sit does not matter.
  if (control === 'on')
    return identity.kind === 'token' ? { allowed: true, hosts: 'any' } : no('sign-in-to-act');
  if (env.actions === 'on') return { allowed: true, hosts: 'any' };
  return env.loopback ? { allowed: true, hosts: 'loopback' } : no('not-this-machine-alone');
}

/**
 * May the page of signing in, which everybody gets, say which backend this is and where? Not to a stranger from
 * elsewhere: it is an address of the inside. `unseen`: of `maySee`.
 */
export function mayLocate({ url, loopback }: Pick<Env, 'url' | 'loopback'>, unseen: Why | null): boolean {
  return unseen === null || (loopback && (url === null || isLoopbackName(url.hostname)));
}

/** May this person look, and if not, why. Who signed in sees what the credential may read. */
export function maySee(
  env: Pick<Env, 'anonymous'>,
  control: AccessControl,
  identity: Identity,
  /** The server has a credential of its own, so it may see what a stranger may not. */
  hasOwnCredential: boolean,
): Why | null {
  if (identity.kind === 'token' || env.anonymous || control === 'off') return null;
  if (control === 'on') return { code: 'sign-in-to-see', facts: {} };
  return hasOwnCredential ? { code: 'access-unknown', facts: {} } : null;
}
