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
