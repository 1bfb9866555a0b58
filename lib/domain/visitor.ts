/** A browser's visitor and their permissions: the answer of `/api/v1/session`. */
import type { AccessControl, Identity } from './identity';
import type { Why } from './refusal';

export interface Visitor {
  readonly identity: Identity;
  readonly accessControl: AccessControl;
  /** False: the visitor may see nothing, for the reason in `why`. */
  readonly maySee: boolean;
  readonly why: Why | null;
  readonly writes: { readonly allowed: true } | { readonly allowed: false; readonly reason: Why };
  /** The end of the sign-in regardless of activity, in epoch milliseconds of the server; `null`: never. */
  readonly endsAtMs: number | null;
  /** The end of the sign-in without activity. */
  readonly idleEndsAtMs: number | null;
  /** The backend forgets the visitor's token at this instant, which ends their shares; `null`: never, or unknown. */
  readonly tokenEndsAtMs: number | null;
}
