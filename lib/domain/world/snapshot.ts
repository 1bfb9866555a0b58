/** A world with what follows from it, numbered. */
import type { Finding } from '@/lib/domain/findings/finding';
import type { World } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';

export interface Snapshot extends World {
  /** Grows by one with every change. */
  readonly version: number;
  readonly asOfMs: number;
  readonly source: SourceState;
  readonly findings: readonly Finding[];
}

/**
 * True when anything was read at all. Only then the rows were there once, and have a time. An answer of the backend
 * (`lastContactMs`) is less: heartbeats are answered before the first read is, and where reads are refused. One read
 * source among several is enough.
 */
export function wasRead({
  state,
  staleSinceMs,
  parts,
}: Pick<SourceState, 'state' | 'staleSinceMs' | 'parts'>): boolean {
  return parts === undefined ? state === 'live' || staleSinceMs !== null : parts.some(wasRead);
}

/**
 * The source for a single answer. A live one is published only when something but the time changes, so `contactMs` is
 * newer. A world is no contact: time alone also makes one.
 */
export function sourceNow({ source }: Pick<Snapshot, 'source'>, contactMs: number | null): SourceState {
  const { state, lastContactMs } = source;
  return state === 'live' && lastContactMs !== null && contactMs !== null && lastContactMs < contactMs
    ? { ...source, lastContactMs: contactMs }
    : source;
}

/** Nothing was read yet, as right after a start. */
export function emptied(of: Snapshot): Snapshot {
  return {
    ...of,
    version: 0,
    locks: [],
    semaphores: [],
    sessions: [],
    findings: [],
    renewals: [],
    source: unread(of.source),
  };
}

/** The state of a source of which nothing was read. */
export const unread = (source: SourceState): SourceState => ({
  ...source,
  state: 'catching-up',
  lastContactMs: null,
  staleSinceMs: null,
  problem: null,
  renewals: [],
  ...(source.parts === undefined ? {} : { parts: source.parts.map(unread) }),
});
