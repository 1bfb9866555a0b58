/**
 * Links to hand over. They are made from what the console itself puts into an address and from nothing else: what
 * somebody else hung onto it (a token of a proxy, a campaign) does not go into an incident channel.
 */

/** Everything that a page of the console reads from its address. */
const ours: ReadonlySet<string> = new Set([
  'key',
  'prefix',
  'id',
  'q',
  'show',
  'verdict',
  'layout',
  'node',
  'sort',
  'group',
  'closed',
  'frozen',
  'severity',
  'code',
]);

/** The path and query of a view, with only what is ours. */
export function viewPath({ pathname, search }: { pathname: string; search: string }): string {
  const asked = new URLSearchParams(search);
  const kept = [...asked].filter(([name]) => ours.has(name));
  const query = kept.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return query === '' ? pathname : `${pathname}?${query}`;
}

/** The whole address of a view, at one of its rows where `row` names it. */
export function viewLink(
  location: { origin: string; pathname: string; search: string },
  row: string | null = null,
): string {
  return `${location.origin}${viewPath(location)}${row === null ? '' : `#${encodeURIComponent(row)}`}`;
}

/** The row that an address points at, or `null`. */
export function rowOfHash(hash: string): string | null {
  if (hash.length < 2) return null;
  try {
    const row = decodeURIComponent(hash.slice(1));
    return /^(lock|semaphore|session):/.test(row) ? row : null;
  } catch {
    return null;
  }
}
