/** What `GET /api/v1/history` answers. */
import type { History, HourFigures } from './episode';
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

/** How many holds are only counted. */
export const countedIn = ({ hours }: Pick<HistoryAnswer, 'hours'>): number =>
  hours.reduce((sum, { holds }) => sum + holds, 0);
