/** What these runs have found in Signalbox, and what was done about it: the end of `docs/faults.md`. */
export interface Found {
  /** By which fault, by its name. */
  readonly fault: string;
  readonly was: string;
  readonly mended: string;
}

export const found: readonly Found[] = [
  {
    fault: 'quorum-lost',
    was: 'With the quorum back, the screen said "live" over data that was up to 15.3 s old: Consul had held one read until there was a leader, and the watch rested in proportion to what it took for the cost of that read.',
    mended:
      'One read that takes far longer than usual counts as a pause, two in a row as load. Old while live after that: at most 2.4 s in nine rounds.',
  },
  {
    fault: 'quorum-lost',
    was: 'A leader that was just elected answered the first read from a copy that lacked what its predecessor had confirmed, so that a screen became live eight seconds behind.',
    mended: 'The first read of a watch, and the first after a failure, is a consistent one.',
  },
];
