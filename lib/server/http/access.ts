/**
 * A person's access, from the operator's settings, the backend's access control and the person's identity. Pure; all
 * these rules stand here. With access control on, the backend limits each credential, and no person writes with the
 * server's own. With it off the backend has no identities, so it matters who can reach this server.
 */
import type { AccessControl, Identity } from '@/lib/domain/identity';
import type { Why } from '@/lib/domain/refusal';
import { isLoopbackName } from '@/lib/server/http/host';
import type { Env } from '@/lib/server/process/env';

/**
 * `loopback`: allowed because only this machine reaches the server, and so only under a loopback name. A foreign page
 * may point its own name at 127.0.0.1 (DNS rebinding).
 */
export type ActionsAllowed =
  | { readonly allowed: true; readonly hosts: 'any' | 'loopback' }
  | { readonly allowed: false; readonly reason: Why };

type Decided = Pick<Env, 'mode' | 'actions' | 'anonymous' | 'loopback'>;
type NoFacts = Extract<Why, { readonly facts: Readonly<Record<string, never>> }>['code'];

const no = (code: NoFacts): ActionsAllowed => ({ allowed: false, reason: { code, facts: {} } as Why });

export function mayAct(env: Decided, control: AccessControl, identity: Identity): ActionsAllowed {
  if (env.mode === 'read-only') return no('read-only-mode');
  if (env.actions === 'off') return no('actions-off');
  if (control === 'unknown') return no('access-unknown');
  // The person's address does not matter.
  if (control === 'on')
    return identity.kind === 'token' ? { allowed: true, hosts: 'any' } : no('sign-in-to-act');
  if (env.actions === 'on') return { allowed: true, hosts: 'any' };
  return env.loopback ? { allowed: true, hosts: 'loopback' } : no('not-this-machine-alone');
}

/** A remote stranger must not learn an internal address. `unseen`: from `maySee`. */
export function mayLocate({ url, loopback }: Pick<Env, 'url' | 'loopback'>, unseen: Why | null): boolean {
  return unseen === null || (loopback && (url === null || isLoopbackName(url.hostname)));
}

/** `null`: they may look. A signed-in person sees what the credential may read. */
export function maySee(
  env: Pick<Env, 'anonymous'>,
  control: AccessControl,
  identity: Identity,
  hasOwnCredential: boolean,
): Why | null {
  if (identity.kind === 'token' || env.anonymous || control === 'off') return null;
  if (control === 'on') return { code: 'sign-in-to-see', facts: {} };
  return hasOwnCredential ? { code: 'access-unknown', facts: {} } : null;
}
