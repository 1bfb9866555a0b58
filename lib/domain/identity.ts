import type { Said } from '@/lib/domain/said';

/**
 * Who somebody is, as far as it can be known. The backend's own name for a credential is the only proof; a proxy's
 * word is as good as the proxy; and where nobody asks, nobody knows.
 */
export type Identity =
  /** Presented a credential that the backend knows. `id`: the backend's public name for it, never the secret. */
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  /** Named by a proxy that the operator trusts. */
  | { readonly kind: 'proxy'; readonly name: string }
  | { readonly kind: 'anonymous' };

/** Whether the backend asks who somebody is. `unknown`: it could not be asked so far. */
export type AccessControl = 'on' | 'off' | 'unknown';

/** What the backend says of a right before it is used. Not being able to ask is no denial. */
export type Right = 'yes' | 'no' | 'unknown';

/** The rules of the backend that an action takes. */
export type NeededFacts = {
  'write-entry': { readonly key: string };
  'write-folder': { readonly prefix: string };
  /** For a batch, whose keys would fill the page. */
  'write-semaphores': { readonly count: number };
  /** `null`: the node of the session is not known. */
  'end-session': { readonly node: string | null };
};
export type Needed = Said<NeededFacts>;

/** The right to one action, and every rule that the action takes. */
export interface RightTo {
  readonly right: Right;
  readonly needs: readonly Needed[];
}

/** One text for each identity, to compare by; no two share one. Holds no secret. */
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
