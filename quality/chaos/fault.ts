/** One fault on purpose, and its remedy. A row of `all.ts`, a section of `docs/faults.md`. */
import type { Chance } from './chance';
import type { Ground } from './ground';
import type { Stage } from './stage';

export interface Fault {
  /** The name in `npm run chaos -- --only agent-stopped`. */
  readonly name: string;
  /** The action, as a row of the page says it. Markdown. */
  readonly title: string;
  readonly ground: Ground;
  /**
   * `console`: the locks' own clients do not feel the fault, so each lost slot or lock is a violation. `clients`: the
   * fault hits them as well, and they may lose holds by their own rules.
   */
  readonly hits: 'console' | 'clients';
  /** The shortest and the longest duration. Chance decides between them. */
  readonly lastsMs: readonly [min: number, max: number];
  /**
   * Longest time that a screen without a bound of its own may say "live" over old data, where that exceeds `liveBoundMs`.
   * When Signalbox itself stops, a browser notices only by missing pings.
   */
  readonly boundMs?: number;
  /**
   * True when the fault ends Signalbox's process. A long run plays it in the first round only, so that one process
   * lives through all others and shows if it stays flat.
   */
  readonly restarts?: boolean;
  /** A ground survives it only once, so it is played in the first round only. */
  readonly once?: boolean;
  /** True while Signalbox cannot answer, because it has ended or takes no connection. */
  readonly silences?: boolean;
  /** Fewest minutes of a run that plays it unasked; default 0. */
  readonly minutesMin?: number;
  /** Longest time after its end until the screen equals Consul; default `settleMaxMs`. */
  readonly settleMs?: number;
  inject(stage: Stage, chance: Chance): Promise<void>;
  /** Undoes `inject`. Also called after a partial failure, or when time is up. */
  mend(stage: Stage, chance: Chance): Promise<void>;
}
