/** What `GET /api/v1/history` answers. */
import type { History, HourFigures, Wait } from './episode';
import type { UsualLength } from './usual';

/** Longest range of one answer. */
export const rangeMaxMs = 31 * 24 * 60 * 60 * 1_000;

export interface HistoryAnswer extends History {
  readonly from: number;
  readonly to: number;
  /** Since when holds are kept; `null`: never. */
  readonly keptSinceMs: number | null;
  /** Since when nothing is kept, for the store does not answer; `null`: it is kept. */
  readonly awaySinceMs: number | null;
  /** `SIGNALBOX_HISTORY=off`. */
  readonly off: boolean;
  /** Some holds or waits of this time are only counted, in `hours`. */
  readonly folded: boolean;
  readonly hours: readonly HourFigures[];
  /** Some rows of a kind were left out: the oldest. */
  readonly more: boolean;
  /** Of a prefix: of the subjects with the longest holds here, how long theirs usually last, where enough was seen of them to tell. */
  readonly usual?: readonly UsualLength[];
}

/** The same as it is sent. */
export interface SentHistory extends Omit<HistoryAnswer, 'waits'> {
  /** Absent where nothing tells who waited, if anybody did: plain locks of Consul, and those of Redis without a queue. */
  readonly waits?: readonly Wait[];
}

export function sentHistory(answer: HistoryAnswer): SentHistory {
  const { waits, ...rest } = answer;
  const { episodes, hours } = rest;
  const isTold =
    waits.length > 0 ||
    // A number above zero without their names is a count of clients.
    episodes.some(({ waitersMax }) => waitersMax === 0) ||
    hours.some((hour) => hour.waits > 0);
  return isTold ? answer : rest;
}

/** For drawings, which show what there is. */
export const receivedHistory = ({ waits = [], ...rest }: SentHistory): HistoryAnswer => ({ ...rest, waits });

/** How many holds are only counted. */
export const countedIn = ({ hours }: Pick<HistoryAnswer, 'hours'>): number =>
  hours.reduce((sum, { holds }) => sum + holds, 0);
