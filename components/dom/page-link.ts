/**
 * Links to hand over, made only from the console's own parameters: a proxy's token must not reach an incident channel.
 */

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
  'at',
  'severity',
  'code',
]);

export function viewPath({ pathname, search }: { pathname: string; search: string }): string {
  const params = new URLSearchParams(search);
  const own = [...params].filter(([name]) => ours.has(name));
  const query = own.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return query === '' ? pathname : `${pathname}?${query}`;
}

/** The whole address of a view, at the row that `row` names. */
export function viewLink(
  location: { origin: string; pathname: string; search: string },
  row: string | null = null,
): string {
  return `${location.origin}${viewPath(location)}${row === null ? '' : `#${encodeURIComponent(row)}`}`;
}

export function rowOfHash(hash: string): string | null {
  if (hash.length < 2) return null;
  try {
    const row = decodeURIComponent(hash.slice(1));
    return /^(lock|semaphore|session):/.test(row) ? row : null;
  } catch {
    return null;
  }
}
