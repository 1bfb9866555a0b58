/**
 * A backend as the server knows it before anybody looks at it: it says who a person is, and makes a provider for
 * each credential, so that the backend itself decides what that person sees and may do.
 */
import type { AccessControl, Right } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import type { Source } from '@/lib/domain/source';
import type { Provider } from './provider';

/** A credential that the backend knows. */
export interface SignedIn {
  /** The backend's public name for the credential; for Consul the accessor id. Never the secret. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** When the backend will forget it, in epoch milliseconds; `null` for never, or when it does not say. */
  readonly endsAtMs: number | null;
}

export interface Backend {
  readonly id: string;
  /** The servers behind it, the first of them first. */
  readonly sources: readonly Source[];
  /** Where it is, for people and logs. Holds no secret. */
  readonly origin: string;
  /** It may ask for credentials, now or once its operator switches that on. False: it never does. */
  readonly asks: boolean;
  /** The server has a credential of its own. */
  readonly hasOwnCredential: boolean;
  /** Credentials that may be watched with at a time, the server's own among them: each costs connections. */
  readonly credentialsMax: number;
  /** Whether its own credential may read everything that is watched, so that others can be shown their part of it. */
  readonly seesAll: Right;
  /** Asks whether credentials are asked for at all. Never throws for an outage: that is `unknown`. */
  accessControl(signal: AbortSignal): Promise<AccessControl>;
  /** Who presents this secret; `signed-out` when the backend does not know it. */
  signIn(secret: string, signal: AbortSignal): Promise<SignedIn | Problem>;
  /**
   * A provider that reads and writes with this secret; `null` is the server's own. `from`: the network of whoever looks first by
   * it, so that none takes what all need. The caller closes it.
   */
  provider(secret: string | null, from?: () => string): Provider;
  /** Closes what the providers share. */
  close(): void;
}
