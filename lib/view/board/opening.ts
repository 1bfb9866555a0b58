/**
 * What of a world stands in the first document. A small world stands in it as a whole. Of a large one a page gets what it shows
 * first, and the header the number of those that need attention; the stream brings the world a moment later. Ten thousand rows in a
 * document are 14 MB: a browser reads them for seconds, and a server that writes forty of them answers nobody else meanwhile.
 *
 * A world that is too large for a browser never comes: a page goes on with what it shows, and asks for that again and again
 * (`live-root.tsx`). Two hundred thousand locks are half a gigabyte of JSON.
 */

import { type Need, needOf } from '@/lib/domain/findings/need';
import type { Subject } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type BoardAhead, boardOpening } from '@/lib/view/board/board-opening';
import { rowsAbout } from '@/lib/view/board/rows-about';
import type { KeptRows } from '@/lib/view/board-rows';
import type { AddressQuery } from './parameters';

/** What a page knows of a world of which it does not have everything yet. */
export interface Ahead {
  readonly need: Need;
  /** `null` on every other page than the board. */
  readonly board: BoardAhead | null;
  /** The page shows nothing before the whole world is here. */
  readonly waits: boolean;
  /** Of a world that never comes: of how many rows it is, and of which page this is the part (`pageOf`). `null`: it comes. */
  readonly large: { readonly rows: number; readonly page: string } | null;
}

export interface Opening {
  readonly snapshot: Snapshot;
  /** `null`: the snapshot is the whole world. */
  readonly ahead: Ahead | null;
}

/**
 * What a page shows of the world. `asked`: the query of the board's address. `all`: it cannot show a part, as one
 * that draws everything or keeps a moment of it.
 */
export type Shows =
  | { readonly what: 'board'; readonly asked: AddressQuery }
  | { readonly what: 'subject'; readonly subject: Subject }
  | { readonly what: 'findings' | 'all' | 'nothing' };

/** Of fewer rows than this nothing is kept back: to send them costs less than to draw the page twice. */
const wholeMax = 300;

/** Whoever has no script reads the findings in their document. Of more than these, which are a megabyte, nobody reads all. */
const findingsMax = 1_000;

type Rows = Pick<Snapshot, 'locks' | 'semaphores' | 'sessions' | 'renewals' | 'findings'>;
const noRows: Rows = { locks: [], semaphores: [], sessions: [], renewals: [], findings: [] };

/** Rows, each with what it carries: one semaphore may have thousands of holders. */
function weightOf({ locks, semaphores, sessions, findings }: Rows): number {
  let weight = locks.length + semaphores.length + sessions.length + findings.length;
  for (const { holders, waiters } of semaphores) weight += holders.length + waiters.length;
  for (const { holds, wants } of sessions) weight += holds.length + wants.length;
  return weight;
}

export interface Room {
  /** Of `pageOf`. */
  readonly page: string;
  /** Of more rows, each with what it carries, a page never gets all. */
  readonly rowsMax: number;
  /** Where the rows of such a world are kept from one look to the next. */
  readonly kept?: () => KeptRows;
}

/** What the document of a page that shows this begins with. */
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
