/** Who looks through a browser, as far as the server knows, and what it lets this one do: the answer of `/api/v1/session`. */
import type { AccessControl, Identity } from './identity';
import type { Why } from './refusal';

export interface Visitor {
  readonly identity: Identity;
  readonly accessControl: AccessControl;
  /** Whether there is anything to see for this one; if not, `why`. */
  readonly maySee: boolean;
  readonly why: Why | null;
  readonly writes: { readonly allowed: true } | { readonly allowed: false; readonly reason: Why };
  /** When the sign-in ends whatever is done, epoch milliseconds of the server; `null` for never. */
  readonly endsAtMs: number | null;
  /** When it ends if nothing is done until then. */
  readonly idleEndsAtMs: number | null;
  /** When the backend will forget their token, and end what they share; `null` for never, or where it does not say. */
  readonly tokenEndsAtMs: number | null;
}
