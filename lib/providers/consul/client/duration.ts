/**
 * Go durations as Consul reads and prints them: `15s`, `1m30s`, `100ms`, and bare numbers, which are nanoseconds in its
 * JSON. Authority: Go's `time.ParseDuration`.
 */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Go keeps nanoseconds in 64 bits, and reads nothing beyond. */
const longestMs = 2 ** 63 / 1e6;
const upToLongest = (ms: number): number | null => (Math.abs(ms) <= longestMs ? ms : null);

/**
 * Milliseconds; `null` for text that is no duration, and for more than Go's longest (292 years). The empty string and `0`
 * are 0, which Consul reads as "no TTL".
 */
export function parseDurationMs(duration: string | number): number | null {
  if (typeof duration === 'number') return upToLongest(duration / 1e6);
  const text = duration.trim();
  if (text === '' || /^[+-]?0+$/.test(text)) return 0;
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
  let totalMs = 0;
  let read = 0;
  for (let match = part.exec(body); match !== null; match = part.exec(body)) {
    totalMs += Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN);
    read = part.lastIndex;
  }
  return read === body.length && read > 0 ? upToLongest(sign * totalMs) : null;
}

/** Whole milliseconds in Consul's format: `15000ms`. */
export function formatDuration(ms: number): string {
  return `${Math.round(ms)}ms`;
}
