/** A time as a person or a program writes it in a query. */

/** Epoch milliseconds, or an ISO time, which is UTC where it names no zone. `NaN`: neither. */
export function instantOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(text) || !text.includes('T');
  return Date.parse(zoned ? text : `${text}Z`);
}
