/** A world with what follows from it, numbered: what a viewer holds, and what a patch leads to. */
import type { Finding } from './finding';
import type { Source, World } from './model';

export interface Snapshot extends World {
  /** Grows by one with every change; a patch names the two versions that it joins. */
  readonly version: number;
  readonly asOfMs: number;
  readonly source: Source;
  readonly findings: readonly Finding[];
}

/**
 * The source as it is told to who asks once. A live one is told anew only when something but the time changes, so that
 * its last contact may be long ago; but whatever the world was read from has answered by then.
 */
export function sourceNow({ source, asOfMs }: Pick<Snapshot, 'source' | 'asOfMs'>): Source {
  const { state, lastContactMs } = source;
  return state === 'live' && lastContactMs !== null && lastContactMs < asOfMs
    ? { ...source, lastContactMs: asOfMs }
    : source;
}
