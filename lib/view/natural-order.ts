/** `shard-2` comes before `shard-10`. */

const isDigit = (text: string, at: number) => {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
};

const byCodeUnit = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Compares runs of digits as numbers and everything else by code unit. A total order: only equal names are equal. It
 * stops at the first difference, because a board sorts ten thousand names at once.
 */
export function naturalCompare(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  let start = at;
  while (start > 0 && isDigit(a, start - 1)) start -= 1;
  if (!isDigit(a, start) || !isDigit(b, start)) return byCodeUnit(a, b);
  const [runA, runB] = [runAt(a, start), runAt(b, start)];
  const [numberA, numberB] = [runA.replace(/^0+(?=\d)/, ''), runB.replace(/^0+(?=\d)/, '')];
  if (numberA !== numberB) return numberA.length - numberB.length || byCodeUnit(numberA, numberB);
  // The same number, written with other zeros in front.
  return naturalCompare(a.slice(start + runA.length), b.slice(start + runB.length)) || byCodeUnit(a, b);
}

function runAt(text: string, start: number): string {
  let end = start;
  while (isDigit(text, end)) end += 1;
  return text.slice(start, end);
}
