/** A browser's visitor and their permissions: the answer of `/api/v1/session`. */
import type { AccessControl, Identity } from './identity';
import type { Why } from './refusal';

export interface Visitor {
  readonly identity: Identity;
  readonly accessControl: AccessControl;
  /** Whether this visitor may see anything; if not, `why`. */
  readonly maySee: boolean;
  readonly why: Why | null;
  readonly writes: { readonly allowed: true } | { readonly allowed: false; readonly reason: Why };
  /** Regardless of activity, epoch milliseconds of the server; `null`: never. */
  readonly endsAtMs: number | null;
  /** When it ends without activity. */
  readonly idleEndsAtMs: number | null;
  /** The backend forgets their token then, which ends their shares; `null`: never, or unknown. */
  readonly tokenEndsAtMs: number | null;
}
