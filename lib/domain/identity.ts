import type { Said } from '@/lib/domain/message';

/** A person's identity, as far as Signalbox can know it. Only the backend's own name for a credential is proof. */
export type Identity =
  /** `id`: the backend's public name for the credential, never the secret. */
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  | { readonly kind: 'proxy'; readonly name: string }
  | { readonly kind: 'anonymous' };

/** Whether the backend asks for credentials. `unknown`: not answered yet. */
export type AccessControl = 'on' | 'off' | 'unknown';

/** By the backend, before its use. A failed question is no denial. */
export type Right = 'yes' | 'no' | 'unknown';

/** What is known of all of them together. */
export const weakestOf = (rights: readonly Right[]): Right =>
  rights.includes('no') ? 'no' : rights.includes('unknown') ? 'unknown' : 'yes';

/** The backend's rules that an action needs. */
export type NeededFacts = {
  'write-entry': { readonly key: string };
  'write-folder': { readonly prefix: string };
  /** For a batch, whose keys would fill the page. */
  'write-semaphores': { readonly count: number };
  /** `null`: the session's node is unknown. */
  'end-session': { readonly node: string | null };
  /** An access rule of Redis stops it, whoever asks: Signalbox acts with its own user there. */
  'redis-command': { readonly command: string };
};
export type Needed = Said<NeededFacts>;

/** With every rule that the action needs. */
export interface RightTo {
  readonly right: Right;
  readonly needs: readonly Needed[];
}

/** For people; `null`: anonymous. */
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
