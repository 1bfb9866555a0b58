/**
 * The connections for blocking queries that no credential needs right now. A watch may use some to read a large prefix in
 * parts, which is quicker; when another one begins, it gives back at once what that one needs. Who comes first has them,
 * and equal shares are not made: half of what a prefix can be cut into is worth nothing to anybody.
 */

/** What one prefix may use beyond the one poll that it needs. */
export interface Claim {
  /** How many it may use in all. */
  room(): number;
  /** Uses so many from now on. */
  use(polls: number): void;
  end(): void;
}

export interface SparePolls {
  /** A watch begins and takes the polls that it needs. Call the returned function when it ends. */
  begin(): () => void;
  /** `onLess`: there is less room than it uses, and it has to use none, or fewer, before it returns. */
  claim(onLess: () => void): Claim;
}

interface Claimed {
  polls: number;
  readonly onLess: () => void;
}

/**
 * `total`: for all watches together; `each`: what a watch needs in any case. `onLess`: called whenever some are given
 * back, for there may be connections that nobody uses any more.
 */
export function createSparePolls({
  total,
  each,
  onLess = () => {},
}: {
  total: number;
  each: number;
  onLess?: () => void;
}): SparePolls {
  let watches = 0;
  const claims = new Set<Claimed>();
  const left = () => {
    let polls = total - watches * each;
    for (const claim of claims) polls -= claim.polls;
    return polls;
  };
  return {
    begin: () => {
      watches += 1;
      // Whoever came last gives first.
      for (const claim of [...claims].reverse()) {
        if (left() >= 0) break;
        if (claim.polls > 0) claim.onLess();
      }
      onLess();
      let ended = false;
      return () => {
        if (!ended) watches -= 1;
        ended = true;
      };
    },
    claim: (less) => {
      const mine: Claimed = { polls: 0, onLess: less };
      claims.add(mine);
      return {
        room: () => Math.max(0, left() + mine.polls),
        use: (polls) => {
          mine.polls = polls;
        },
        end: () => {
          claims.delete(mine);
        },
      };
    },
  };
}
