import type { Problem } from './problem';
import type { SourceId } from './source';

/** One agent on which Signalbox looks for renewals. */
export interface RenewalWatch {
  /** The agent's address. It never holds credentials. */
  readonly agent: string;
  /**
   * - `observed`: Signalbox saw every renewal through the agent since `sinceMs`.
   * - `forbidden`: the credential may not follow the agent's log (`agent:read`).
   * - `no-servers`: the settings say to follow the servers that this agent names, and it has named none.
   * - `off`: the settings say not to follow the agent.
   */
  readonly state: 'observed' | 'connecting' | 'forbidden' | 'unreachable' | 'no-servers' | 'off';
  /** `null` for all states but `observed`. */
  readonly sinceMs: number | null;
}

/** The freshness of a source's rows, and the reason when they are not fresh. */
export interface SourceState {
  readonly id: SourceId;
  /** The name for people. */
  readonly title: string;
  readonly provider: string;
  readonly datacenter: string | null;
  /**
   * Signalbox reads this datacenter through an agent of another one, `from` (`null`: not known which). The clients here
   * renew through agents of their own, whose logs Signalbox follows only when the settings name them. Absent: the agent
   * is in this datacenter.
   */
  readonly across?: { readonly from: string | null };
  /** The address or node of the backend, for people. It never holds credentials. */
  readonly origin: string;
  readonly state: 'live' | 'catching-up' | 'stale' | 'down';
  /** The backend's last answer; `null` before the first. */
  readonly lastContactMs: number | null;
  readonly staleSinceMs: number | null;
  /**
   * Signalbox has missed no end of a session since this instant, so it knows every later lock-delay. `null`: it does
   * not see ends now, because of an outage or because it may not read the session list.
   */
  readonly endsSeenSinceMs: number | null;
  /** The last time that Signalbox saw the backend restored to an earlier state; `null`: never. */
  readonly restoredAtMs: number | null;
  /** Signalbox sees renewals through these agents only. */
  readonly renewals: readonly RenewalWatch[];
  readonly problem: Problem | null;
  /**
   * `own`: verdicts rest on only the rows that this person's token may read, because the server's own token may not
   * read everything. Absent: they rest on all watched rows.
   */
  readonly sight?: 'own';
  /**
   * The part of an embed's scope that its maker may read now. `none`: nothing. `part`: not all, or unknown. Absent: all.
   */
  readonly reach?: 'part' | 'none';
  /**
   * The time between two checks of the viewer's rights, where it is longer than 5 s. A revoked right may still show rows
   * for that long.
   */
  readonly rightsEveryMs?: number;
  /** The console shows this source, and takes no action on it. */
  readonly readOnly?: true;
  /** The states of several sources, of which this one is the worst. Absent: this is the state of one source. */
  readonly parts?: readonly SourceState[];
}

/** The state of a source before its first reading. */
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

/** The state of each source. */
export const partsOf = (state: SourceState): readonly SourceState[] => state.parts ?? [state];

/** The state of one source by its id; `null`: it is not among them. */
export const partOf = (state: SourceState, id: SourceId): SourceState | null =>
  partsOf(state).find((part) => part.id === id) ?? null;

const fromFreshest = ['live', 'catching-up', 'stale', 'down'] as const satisfies SourceState['state'][];

/** The state of the freshest source, the first of equals. */
export function freshestOf(state: SourceState): SourceState {
  const parts = partsOf(state);
  for (const wanted of fromFreshest) {
    const found = parts.find((part) => part.state === wanted);
    if (found !== undefined) return found;
  }
  return state;
}

/** The same sources, as Signalbox reads them again. */
export const catchingUp = (state: SourceState): SourceState => ({
  ...state,
  state: 'catching-up',
  ...(state.parts === undefined ? {} : { parts: state.parts.map(catchingUp) }),
});
