/** The answer of `GET /api/v1/history`. */
import type { History, HourFigures, Wait } from './episode';
import type { UsualLength } from './usual';

/** Longest range of one answer. */
export const rangeMaxMs = 31 * 24 * 60 * 60 * 1_000;

export interface HistoryAnswer extends History {
  readonly from: number;
  readonly to: number;
  /** Start of the record of holds; `null`: never kept. */
  readonly keptSinceMs: number | null;
  /** The instant since which the store does not answer and nothing is kept; `null`: it is kept. */
  readonly awaySinceMs: number | null;
  /** True with `SIGNALBOX_HISTORY=off`. */
  readonly off: boolean;
  /** Some holds or waits of this time are only counted, in `hours`. */
  readonly folded: boolean;
  readonly hours: readonly HourFigures[];
  /** The oldest rows of some kind were left out. */
  readonly more: boolean;
  /**
   * For a prefix: the usual length of holds of the subjects with the longest holds here. A subject with few holds has
   * none.
   */
  readonly usual?: readonly UsualLength[];
}

/** The answer on the wire. */
export interface SentHistory extends Omit<HistoryAnswer, 'waits'> {
  /** Absent where the backend does not show waiters: plain locks of Consul, and locks of Redis without a queue. */
  readonly waits?: readonly Wait[];
}

export function sentHistory(answer: HistoryAnswer): SentHistory {
  const { waits, ...rest } = answer;
  const { episodes, hours } = rest;
  const isTold =
    waits.length > 0 ||
    // A number above zero without names only counts clients.
    episodes.some(({ waitersMax }) => waitersMax === 0) ||
    hours.some((hour) => hour.waits > 0);
  return isTold ? answer : rest;
}

/** The answer for drawings, which draw an absent queue as an empty one. */
export const receivedHistory = ({ waits = [], ...rest }: SentHistory): HistoryAnswer => ({ ...rest, waits });

/** The number of holds that are only counted. */
export const countedIn = ({ hours }: Pick<HistoryAnswer, 'hours'>): number =>
  hours.reduce((sum, { holds }) => sum + holds, 0);
