/**
 * A backend as the server sees it. It identifies people, and makes a provider for each credential, so that it decides
 * what each person sees and may do.
 */
import type { AccessControl, Right } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import type { Source } from '@/lib/domain/source';
import type { Provider } from './provider';

/** A credential that the backend knows. */
export interface SignedIn {
  /** The backend's public name for the credential (for Consul the accessor id), never the secret. */
  readonly id: string;
  /** The name for people. */
  readonly name: string;
  /** The end of the credential, in epoch milliseconds; `null`: never, or unknown. */
  readonly endsAtMs: number | null;
}

export interface Backend {
  readonly id: string;
  /** The servers behind it, the first of them first. */
  readonly sources: readonly Source[];
  /** The address, for people and logs. It holds no secret. */
  readonly origin: string;
  /** The backend may ask for credentials, now or once its operator switches that on. False: it never does. */
  readonly asks: boolean;
  /** The server has a credential of its own. */
  readonly hasOwnCredential: boolean;
  /** Most credentials at a time, the server's own included, because each costs connections. */
  readonly credentialsMax: number;
  /** The right of the server's own credential to read everything watched, so that others can be shown a part. */
  readonly seesAll: Right;
  /** Never throws for an outage: that is `unknown`. */
  accessControl(signal: AbortSignal): Promise<AccessControl>;
  /** `signed-out` when the backend does not know the secret. */
  signIn(secret: string, signal: AbortSignal): Promise<SignedIn | Problem>;
  /**
   * `null`: the server's own credential. `from`: the network of its first viewer, so that none takes what all need. The
   * caller closes it.
   */
  provider(secret: string | null, from?: () => string): Provider;
  /** Closes what the providers share. */
  close(): void;
}
