/** Repeatable chance, so that one seed gives one course of the demo world. */

export interface Dice {
  /** At least 0, below 1. */
  roll(): number;
  /** Whole milliseconds between two numbers of seconds. */
  secondsMs(from: number, to: number): number;
  pick<T>(of: readonly [T, ...T[]]): T;
}

/** `name` separates actors that share a seed. The generator is mulberry32. */
export function createDice(seed: number, name: string): Dice {
  let state = seed | 0;
  for (const char of name) state = Math.imul(state ^ char.charCodeAt(0), 0x01000193);
  const roll = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    roll,
    secondsMs: (from, to) => Math.round((from + roll() * (to - from)) * 1000),
    pick: (of) => of[Math.floor(roll() * of.length)] ?? of[0],
  };
}
