/**
 * The part of a world in the first document. A large world has its first rows and the header's count, and the stream
 * brings the rest. A document with ten thousand rows blocks the browser for seconds, and writing them blocks the
 * server. A world that is too large for a browser never comes whole: the page asks for its part at intervals
 * (`live-root.tsx`).
 */

import { type Need, needOf } from '@/lib/domain/findings/need';
import type { Subject } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type BoardAhead, boardOpening } from '@/lib/view/board/board-opening';
import { rowsAbout } from '@/lib/view/board/rows-about';
import type { KeptRows } from '@/lib/view/board-rows';
import type { AddressQuery } from './parameters';

/** A page's knowledge of a world that it does not have completely. */
export interface Ahead {
  readonly need: Need;
  /** `null` on every page but the board. */
  readonly board: BoardAhead | null;
  /** The page shows nothing before the whole world is here. */
  readonly waits: boolean;
  /** A world that the page never gets, by its rows and this part's page (`pageOf`). `null`: the page gets it. */
  readonly large: { readonly rows: number; readonly page: string } | null;
}

export interface Opening {
  readonly snapshot: Snapshot;
  /** `null`: the snapshot is the whole world. */
  readonly ahead: Ahead | null;
}

/** `asked`: the query of the board's address. `all`: the page cannot show a part. */
export type Shows =
  | { readonly what: 'board'; readonly asked: AddressQuery }
  | { readonly what: 'subject'; readonly subject: Subject }
  | { readonly what: 'findings' | 'all' | 'nothing' };

/** A smaller world is sent whole: that costs less than to draw the page twice. */
const wholeMax = 300;

/** Browsers without scripts read the findings in the document. */
const findingsMax = 1_000;

type Rows = Pick<Snapshot, 'locks' | 'semaphores' | 'sessions' | 'renewals' | 'findings'>;
const noRows: Rows = { locks: [], semaphores: [], sessions: [], renewals: [], findings: [] };

/** Rows with their contents: one semaphore may have thousands of holders. */
function weightOf({ locks, semaphores, sessions, findings }: Rows): number {
  let weight = locks.length + semaphores.length + sessions.length + findings.length;
  for (const { holders, waiters } of semaphores) weight += holders.length + waiters.length;
  for (const { holds, wants } of sessions) weight += holds.length + wants.length;
  return weight;
}

export interface Room {
  /** The page by `pageOf`. */
  readonly page: string;
  /** A page never gets a world of more rows, their contents included. */
  readonly rowsMax: number;
  /** The row cache of such a world, from one look to the next. */
  readonly kept?: () => KeptRows;
}

/** The first document of a page that shows this. */
export function openingOf(
  snapshot: Snapshot,
  shows: Shows,
  { page, rowsMax, kept }: Room = { page: '', rowsMax: Infinity },
): Opening {
  const weight = weightOf(snapshot);
  if (weight <= wholeMax) return { snapshot, ahead: null };
  const { locks, semaphores, sessions, findings } = snapshot;
  const need = needOf(findings);
  const large = weight > rowsMax ? { rows: locks.length + semaphores.length + sessions.length, page } : null;
  const begin = (rows: Rows, board: BoardAhead | null = null, waits = false): Opening => ({
    snapshot: { ...snapshot, ...rows },
    ahead: { need, board, waits, large },
  });
  switch (shows.what) {
    case 'board': {
      const { rows, board } = boardOpening(snapshot, shows.asked, large === null ? undefined : kept?.());
      return begin(rows, board);
    }
    case 'subject':
      return begin(rowsAbout(snapshot, shows.subject));
    case 'findings':
      return findings.length <= findingsMax ? begin({ ...noRows, findings }) : begin(noRows, null, true);
    case 'all':
      return begin(noRows, null, true);
    case 'nothing':
      return begin(noRows);
  }
}
