import type { Problem } from './problem';
import type { SourceId } from './source';

/**
 * One agent on which Signalbox looks for renewals. `observed`: Signalbox saw every renewal through it since
 * `sinceMs`. `forbidden`: the credential may not follow its log (`agent:read`). `off`: not followed, by
 * configuration.
 */
export interface RenewalWatch {
  /** Its address; never holds credentials. */
  readonly agent: string;
  readonly state: 'observed' | 'connecting' | 'forbidden' | 'unreachable' | 'off';
  /** For `observed`. */
  readonly sinceMs: number | null;
}

/** How fresh a source's rows are. */
export interface SourceState {
  readonly id: SourceId;
  /** For people. */
  readonly title: string;
  readonly provider: string;
  readonly datacenter: string | null;
  /**
   * It is read through an agent of another datacenter, `from`; `null`: not known which. Its clients renew through
   * agents of their own, whose logs Signalbox does not follow unless they are named. Absent: the agent is in it.
   */
  readonly across?: { readonly from: string | null };
  /** The address or node of the backend, for people; never holds credentials. */
  readonly origin: string;
  readonly state: 'live' | 'catching-up' | 'stale' | 'down';
  /** The backend's last answer; `null` before the first. */
  readonly lastContactMs: number | null;
  readonly staleSinceMs: number | null;
  /**
   * Since when Signalbox missed no end of a session, so that it knows every later lock-delay. `null`: it does
   * not see ends now (an outage, or it may not read the session list).
   */
  readonly endsSeenSinceMs: number | null;
  /** When Signalbox last saw the backend restored to an earlier state. `null`: never. */
  readonly restoredAtMs: number | null;
  /** Signalbox sees no renewal through any other agent. */
  readonly renewals: readonly RenewalWatch[];
  readonly problem: Problem | null;
  /**
   * `own`: judged by only the rows that this person's token may read, because the server's own token may not
   * read everything. Absent: judged by all that is watched.
   */
  readonly sight?: 'own';
  /**
   * For an embed: whether its maker may read all of its scope now. `none`: nothing of it. `part`: not all, or
   * unknown. Absent: all.
   */
  readonly reach?: 'part' | 'none';
  /**
   * How often the viewer's rights are checked, where that is less often than every 5 s: a revoked right may
   * still show rows for that long.
   */
  readonly rightsEveryMs?: number;
  /** This console shows it, and takes no action on it. */
  readonly readOnly?: true;
  /** Absent: this is one source. Present: the state is the worst of several. */
  readonly parts?: readonly SourceState[];
}

/** A source that nothing is known of yet. */
export const unreadSource = (
  source: Pick<SourceState, 'id' | 'title' | 'provider' | 'origin'>,
): SourceState => ({
  ...source,
  datacenter: null,
  state: 'catching-up',
  lastContactMs: null,
  staleSinceMs: null,
  endsSeenSinceMs: null,
  restoredAtMs: null,
  renewals: [],
  problem: null,
});

/** Each source by itself. */
export const partsOf = (state: SourceState): readonly SourceState[] => state.parts ?? [state];

/** One source by its id; `null`: it is not among them. */
export const partOf = (state: SourceState, id: SourceId): SourceState | null =>
  partsOf(state).find((part) => part.id === id) ?? null;

const fromFreshest = ['live', 'catching-up', 'stale', 'down'] as const satisfies SourceState['state'][];

/** The freshest of several, the first of equals; the only one where there are no several. */
export function freshestOf(state: SourceState): SourceState {
  const parts = partsOf(state);
  for (const wanted of fromFreshest) {
    const found = parts.find((part) => part.state === wanted);
    if (found !== undefined) return found;
  }
  return state;
}

/** The same, being read again. */
export const catchingUp = (state: SourceState): SourceState => ({
  ...state,
  state: 'catching-up',
  ...(state.parts === undefined ? {} : { parts: state.parts.map(catchingUp) }),
});
