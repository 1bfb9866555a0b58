/** Where a world comes from: how fresh it is, and which agents show renewals. */
import type { Problem } from './problem';

/**
 * One agent on which renewals are looked for. `observed`: every renewal that goes through it since `sinceMs` was seen.
 * `forbidden`: the credential may not follow its log (`agent:read`). `off`: not followed, by configuration.
 */
export interface RenewalWatch {
  /** Its address; never holds credentials. */
  readonly agent: string;
  readonly state: 'observed' | 'connecting' | 'forbidden' | 'unreachable' | 'off';
  /** For `observed`: since when it is followed without a gap. */
  readonly sinceMs: number | null;
}

/** How fresh the world is, and why it is not fresher. */
export interface Source {
  readonly provider: string;
  readonly datacenter: string | null;
  /** The address or node of the backend that is read, for people; never holds credentials. */
  readonly origin: string;
  readonly state: 'live' | 'catching-up' | 'stale' | 'down';
  /** Last time the backend answered; `null` before the first answer. */
  readonly lastContactMs: number | null;
  readonly staleSinceMs: number | null;
  /**
   * Since when no end of a session was missed, so that every lock-delay set later is known. `null`: ends are not seen
   * now (an outage, or the session list may not be read).
   */
  readonly endsSeenSinceMs: number | null;
  /** When the backend was last found put back to an earlier state. `null`: that was not seen. */
  readonly restoredAtMs: number | null;
  /** The agents whose renewals are looked for. Renewals through any other are not seen. */
  readonly renewals: readonly RenewalWatch[];
  readonly problem: Problem | null;
  /**
   * `own`: what is shown is judged by what this person's token may read alone, for the server's own may not read everything.
   * Absent: by everything there is in what is watched.
   */
  readonly sight?: 'own';
  /**
   * Of an embed: whether its maker may read all of its scope now. `none`: nothing of it. `part`: not all, or it is not known.
   * Absent: all.
   */
  readonly reach?: 'part' | 'none';
  /**
   * How often the rights by which it is shown are asked again, where that is less often than every 5 s: so long a right that was
   * taken away may still be shown.
   */
  readonly rightsEveryMs?: number;
}
