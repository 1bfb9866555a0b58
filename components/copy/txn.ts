/**
 * The body of `PUT /v1/txn` that reads exactly what is shown, and fails when it is not that any more. Written as text,
 * because flags are 64-bit: `JSON.stringify` of a number would round them, and Consul takes no text in their place.
 */
import type { Lock, Semaphore } from '@/lib/domain/model';

interface Op {
  readonly Verb: 'check-index' | 'check-session' | 'check-not-exists' | 'get' | 'get-tree';
  readonly Key: string;
  readonly Session?: string;
  /** Decimal; printed bare. */
  readonly Index?: string;
  /** Decimal; printed bare. A check ignores them: they are there to be kept when this becomes a write. */
  readonly Flags?: string;
}

function printed(op: Op): string {
  const members = Object.entries(op).map(([name, value]) => {
    const bare = (name === 'Index' || name === 'Flags') && /^\d{1,20}$/.test(value);
    return `${JSON.stringify(name)}: ${bare ? value : JSON.stringify(value)}`;
  });
  return `  {"KV": {${members.join(', ')}}}`;
}

function opsOf(of: Lock | Semaphore): Op[] {
  if (of.kind === 'lock') {
    const { key, exists, modifyIndex, flags, holder } = of;
    if (!exists) return [{ Verb: 'check-not-exists', Key: key }];
    const shown: Op[] = [{ Verb: 'check-index', Key: key, Index: modifyIndex, Flags: flags }];
    if (holder !== null) shown.push({ Verb: 'check-session', Key: key, Session: holder.sessionId });
    return [...shown, { Verb: 'get', Key: key }];
  }
  const Key = `${of.prefix}/.lock`;
  const entry: Op =
    of.modifyIndex === null
      ? { Verb: 'check-not-exists', Key }
      : {
          Verb: 'check-index',
          Key,
          Index: of.modifyIndex,
          ...(of.flags === null ? {} : { Flags: of.flags }),
        };
  return [entry, { Verb: 'get-tree', Key: `${of.prefix}/` }];
}

/** A lock: its entry, if its index and its session are what is shown. A semaphore: all its entries, if `.lock` is. */
export function txnText(of: Lock | Semaphore): string {
  return `[\n${opsOf(of).map(printed).join(',\n')}\n]\n`;
}
