/** What these runs have found in Signalbox, and what was done about it: the end of `docs/faults.md`. */
export interface Found {
  /** By which fault, by its name. */
  readonly fault: string;
  readonly was: string;
  readonly mended: string;
}

export const found: readonly Found[] = [];
