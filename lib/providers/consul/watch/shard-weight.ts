/**
 * What rows take in this process, roughly: what Consul says of them, and what is made of that. A bound for one answer bounds no
 * world, for prefixes and parts are read by themselves. What one writer can make many of is counted for what it costs: a locked row is a
 * lock on every page, and a name in a coordination entry is a possible holder that is remembered.
 */
import { type Row, storedLength } from '@/lib/providers/consul/client/wire';
import { coordinationName } from '@/lib/providers/consul/rows/coordination';

/** Bytes of a row beside its texts, and of the lock or waiter that it is (`docs/decisions/0053`). */
const ofRow = 150;
const ofLocked = 1_000;
/** A name and its punctuation have some 52 characters in base64, and take some 600 bytes. */
const ofNames = 12;

const weights = new WeakMap<readonly Row[], number>();

/** In bytes. A list never changes, so it is weighed once. */
export function weightOf(rows: readonly Row[]): number {
  const known = weights.get(rows);
  if (known !== undefined) return known;
  let weight = 0;
  for (const row of rows) {
    const stored = storedLength(row);
    const mayName = row.session === null && row.key.endsWith(coordinationName);
    weight +=
      ofRow + row.key.length + stored * (mayName ? ofNames : 1) + (row.session === null ? 0 : ofLocked);
  }
  weights.set(rows, weight);
  return weight;
}
