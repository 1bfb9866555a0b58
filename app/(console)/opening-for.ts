/** The first content of the page at an address, once for all who open it within one version. */

import { pageOf, paths, subjectAt } from '@/lib/client/paths';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { oncePerVersion } from '@/lib/server/live/once-per-version';
import { type Opening, openingOf, type Shows } from '@/lib/view/board/opening';
import type { AddressQuery } from '@/lib/view/board/parameters';
import type { KeptRows } from '@/lib/view/board-rows';

const once = oncePerVersion<Opening>();

type Base = Pick<Hub, 'apart'>;

/** After this time, the rows of a large world are forgotten. */
const keptMs = 60_000;
const rowCaches = new WeakMap<object, { readonly rows: KeptRows; readonly forget: NodeJS.Timeout }>();

/** Keeps rows only of a world that is too large for a browser. */
function rowsKeptOf(base: Base): KeptRows {
  const known = rowCaches.get(base) ?? {
    rows: { made: null },
    // A timer of this request would keep it.
    forget: base.apart(() => setTimeout(() => rowCaches.delete(base), keptMs).unref()),
  };
  known.forget.refresh();
  rowCaches.set(base, known);
  return known.rows;
}

/**
 * `base`: the hub that numbers the snapshot. `address`: path and query. `rowsMax`: of more rows, a page never gets all.
 */
export async function openingFor(
  snapshot: Snapshot,
  base: Base,
  { address, rowsMax }: { readonly address: string; readonly rowsMax: number },
): Promise<Opening> {
  const url = new URL(address, 'http://console.invalid');
  const shows = showsAt(url);
  const { version, asOfMs, source } = snapshot;
  const room = { page: pageOf(url.pathname, url.searchParams), rowsMax, kept: () => rowsKeptOf(base) };
  const { snapshot: shown, ahead } = once({ base, version, name: address }, () =>
    openingOf(snapshot, shows, room),
  );
  return { snapshot: { ...shown, asOfMs, source }, ahead };
}

function showsAt({ pathname, searchParams: query }: URL): Shows {
  // A frozen page keeps all of a moment.
  if (query.has('frozen')) return { what: 'all' };
  // The rows of the past come from the history.
  if (pathname === paths.board() && query.has('at')) return { what: 'nothing' };
  if (pathname === paths.board()) return { what: 'board', asked: askedIn(query) };
  if (pathname === paths.findings()) return { what: 'findings' };
  if (pathname === paths.sessions() || pathname === paths.graph()) return { what: 'all' };
  const subject = subjectAt(pathname, query);
  return subject === null ? { what: 'nothing' } : { what: 'subject', subject };
}

function askedIn(query: URLSearchParams): AddressQuery {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}
