/**
 * Links to hand over, made only from the console's own parameters: a proxy's token must not reach an incident channel.
 */
import { subjectOfId } from '@/lib/domain/subject';

/** Every parameter that a page of the console reads, but for how far one has scrolled. */
const ours: ReadonlySet<string> = new Set([
  ...['key', 'prefix', 'id', 'source'],
  ...['q', 'show', 'verdict', 'layout', 'node', 'sort', 'group', 'closed', 'frozen', 'at'],
  ...['severity', 'code'],
  ...['from', 'to', 'range', 'lost', 'figures'],
  ...['person', 'subject', 'action', 'kind', 'outcome', 'thread'],
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
    return subjectOfId(row) === null ? null : row;
  } catch {
    return null;
  }
}
