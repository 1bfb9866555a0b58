/**
 * Connections for blocking queries that no credential needs now. A watch may use some to read a large prefix in parts,
 * and returns them at once when another watch begins. The first claim gets them all, because half the parts of a prefix
 * are useless.
 */

/** The polls of one prefix beyond its first. */
export interface Claim {
  room(): number;
  use(polls: number): void;
  end(): void;
}

export interface SparePolls {
  /** Takes the polls of a new watch. Call the returned function when the watch ends. */
  begin(): () => void;
  /** `onLess`: the claim must use fewer or none before it returns. */
  claim(onLess: () => void): Claim;
}

interface Claimed {
  polls: number;
  readonly onLess: () => void;
}

/**
 * `total`: for all watches. `each`: for one watch. `onLess`: called when polls were returned, so connections may be
 * unused.
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
      // The latest claim gives first.
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
