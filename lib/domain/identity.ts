import type { Said } from '@/lib/domain/message';

/** A person's identity, as far as Signalbox can know it. Only the backend's own name for a credential is proof. */
export type Identity =
  /** `id`: the backend's public name for the credential, never the secret. */
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  | { readonly kind: 'proxy'; readonly name: string }
  | { readonly kind: 'anonymous' };

/** `on`: the backend asks for credentials. `unknown`: it has not answered yet. */
export type AccessControl = 'on' | 'off' | 'unknown';

/** The backend's answer, before an action, whether the caller may do it. A failed question is `unknown`, no denial. */
export type Right = 'yes' | 'no' | 'unknown';

/** The right to do all of several things: `no` if one of them is refused. */
export const weakestOf = (rights: readonly Right[]): Right =>
  rights.includes('no') ? 'no' : rights.includes('unknown') ? 'unknown' : 'yes';

/** The backend's rules that an action needs. */
export type NeededFacts = {
  'write-entry': { readonly key: string };
  'write-folder': { readonly prefix: string };
  /** Stands for a batch, whose keys would fill the page. */
  'write-semaphores': { readonly count: number };
  /** `null`: the session's node is unknown. */
  'end-session': { readonly node: string | null };
  /** An access rule of Redis stops the command for every caller, because Signalbox acts with its own user there. */
  'redis-command': { readonly command: string };
};
export type Needed = Said<NeededFacts>;

/** The right to an action, with every rule that the action needs. */
export interface RightTo {
  readonly right: Right;
  readonly needs: readonly Needed[];
}

/** The name to show to people; `null`: anonymous. */
export function identityName(identity: Identity): string | null {
  if (identity.kind === 'anonymous') return null;
  return identity.name === '' && identity.kind === 'token' ? identity.id : identity.name;
}

/** A unique text for each identity, to compare by. Holds no secret. */
export function identityKey(identity: Identity): string {
  switch (identity.kind) {
    case 'token':
      return `token:${identity.id}`;
    case 'proxy':
      return `proxy:${identity.name}`;
    case 'anonymous':
      return 'anonymous';
  }
}
