/** A browser's visitor as the server knows them, and their permissions: the answer of `/api/v1/session`. */
import type { AccessControl, Identity } from './identity';
import type { Why } from './refusal';

export interface Visitor {
  readonly identity: Identity;
  readonly accessControl: AccessControl;
  /** Whether this visitor may see anything; if not, `why`. */
  readonly maySee: boolean;
  readonly why: Why | null;
  readonly writes: { readonly allowed: true } | { readonly allowed: false; readonly reason: Why };
  /** When the sign-in ends regardless of activity, epoch milliseconds of the server; `null` for never. */
  readonly endsAtMs: number | null;
  /** When it ends without activity. */
  readonly idleEndsAtMs: number | null;
  /**
   * When the backend forgets their token, which ends their shares; `null` for never, or where it does not say.
   */
  readonly tokenEndsAtMs: number | null;
}
