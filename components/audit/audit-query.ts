/** What the address of the audit page asks for, and how a filter changes it. */

/** The filters, by the names that they have in the address and in the API. */
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

/** The filters alone, without the place to go on from. */
export function filtersOf(asked: AuditParameters): Record<string, string> {
  return Object.fromEntries(filterNames.flatMap((name) => (asked[name] ? [[name, asked[name]]] : [])));
}

/** True when something is left out by choice. */
export const isNarrowed = (asked: AuditParameters): boolean =>
  filterNames.some((name) => Boolean(asked[name]));

/** The filters after a change, from the newest row on: a place belongs to the filters that it was found with. */
export function changed(
  asked: AuditParameters,
  change: { readonly [K in FilterName]?: string },
): AuditParameters {
  return { ...filtersOf(asked), ...change };
}

/** `2026-11-21T12:03` in a zone, for a field that takes a local time; '' where there is none. */
export function localTime(text: string | undefined, format: (atMs: number) => string): string {
  const atMs = Date.parse(text ?? '');
  return Number.isNaN(atMs) ? '' : format(atMs).replace(' ', 'T').slice(0, 16);
}

/** The instant of a local time of this browser; '' for none. `to` means the end of its minute. */
export function instantOf(local: string, side: 'from' | 'to'): string {
  const atMs = Date.parse(local);
  if (Number.isNaN(atMs)) return '';
  return new Date(side === 'to' ? atMs + 59_999 : atMs).toISOString();
}
