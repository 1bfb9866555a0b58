/** A run's random choices, from one seed. */

/** A number from 0 to below 1. A run draws every choice from one seed. */
export type Chance = () => number;

/** Mulberry32. The same seed gives the same numbers. */
export function chanceOf(seed: number): Chance {
  let a = seed | 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The same rows in a random order (Fisher and Yates). */
export function shuffled<T>(rows: readonly T[], chance: Chance): T[] {
  const order = [...rows];
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(chance() * (i + 1));
    [order[i], order[j]] = [order[j] as T, order[i] as T];
  }
  return order;
}
