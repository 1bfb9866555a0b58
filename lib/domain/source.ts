import type { Problem } from './problem';

/**
 * One followed agent. `observed`: every renewal through it since `sinceMs` was seen. `forbidden`: the credential may
 * not follow its log (`agent:read`). `off`: by configuration.
 */
export interface RenewalWatch {
  /** Its address; never holds credentials. */
  readonly agent: string;
  readonly state: 'observed' | 'connecting' | 'forbidden' | 'unreachable' | 'off';
  /** For `observed`. */
  readonly sinceMs: number | null;
}

export interface Source {
  readonly provider: string;
  readonly datacenter: string | null;
  /** For people; never holds credentials. */
  readonly origin: string;
  readonly state: 'live' | 'catching-up' | 'stale' | 'down';
  /** The backend's last answer; `null` before the first. */
  readonly lastContactMs: number | null;
  readonly staleSinceMs: number | null;
  /**
   * Since when Signalbox missed no end of a session, so that it knows every later lock-delay. `null`: an outage, or it
   * may not read the session list.
   */
  readonly endsSeenSinceMs: number | null;
  /** The last restore to an earlier state that Signalbox saw. `null`: never. */
  readonly restoredAtMs: number | null;
  /** Signalbox sees no renewal through any other agent. */
  readonly renewals: readonly RenewalWatch[];
  readonly problem: Problem | null;
  /** `own`: judged by the rows of this person's token alone, because the server's own token may not read everything. */
  readonly sight?: 'own';
  /** For an embed. `none`: its maker may read nothing of its scope now. `part`: not all, or unknown. Absent: all. */
  readonly reach?: 'part' | 'none';
  /**
   * How often the viewer's rights are checked, if less often than every 5 s: a revoked right may show rows for that
   * long.
   */
  readonly rightsEveryMs?: number;
}
