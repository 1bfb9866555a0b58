/** The audit page's query in the address, and how a filter changes it. */

/** Filters by their names in the address and in the API. */
export const filterNames = [
  'person',
  'source',
  'subject',
  'action',
  'kind',
  'outcome',
  'thread',
  'from',
  'to',
] as const;
type FilterName = (typeof filterNames)[number];

export type AuditParameters = Readonly<Record<string, string>>;

/** The filters alone, without the place from which the list continues. */
export function filtersOf(query: AuditParameters): Record<string, string> {
  return Object.fromEntries(filterNames.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

/** True when something is left out by choice. */
export const isNarrowed = (query: AuditParameters): boolean =>
  filterNames.some((name) => Boolean(query[name]));

/** The changed filters, from the newest row on, because a place belongs to its filters. */
export function changed(
  query: AuditParameters,
  change: { readonly [K in FilterName]?: string },
): AuditParameters {
  return { ...filtersOf(query), ...change };
}

/** `2026-11-21 12:03`, as times stand on every page; '' where there is none. `format`: an instant in the reader's zone. */
export function localTime(text: string | undefined, format: (atMs: number) => string): string {
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? '' : format(atMs).slice(0, 16);
}

const written = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?$/;

/**
 * The instant of a date, with or without a time, in this browser's zone. '' for an empty text, `null` for a text that
 * is no time. `to` means the end of its minute or day.
 */
export function instantOf(text: string, side: 'from' | 'to'): string | null {
  if (text === '') return '';
  const [, date, time] = written.exec(text) ?? [];
  const atMs = Date.parse(`${date}T${time ?? (side === 'to' ? '23:59' : '00:00')}`);
  if (Number.isNaN(atMs)) return null;
  return new Date(side === 'to' ? atMs + 59_999 : atMs).toISOString();
}
