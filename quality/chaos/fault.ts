/** One thing that goes wrong on purpose, and how it is undone. A row of `all.ts`, a section of `docs/faults.md`. */
import type { Chance } from './chance';
import type { Ground } from './ground';
import type { Stage } from './stage';

export interface Fault {
  /** As in `npm run chaos -- --only agent-stopped`. */
  readonly name: string;
  /** The action, as a row of the page says it. Markdown. */
  readonly title: string;
  readonly ground: Ground;
  /**
   * `console`: the locks' own clients do not feel it, so that each loss of a slot or a lock is a violation. `clients`: it
   * hits them as well, and they may lose what they hold by their own rules.
   */
  readonly hits: 'console' | 'clients';
  /** How long it lasts, at least and at most: chosen by chance between the two. */
  readonly lastsMs: readonly [min: number, max: number];
  /**
   * How long the screen may go on saying "live" over old data, where that is longer than `liveBoundMs`: when Signalbox
   * itself is what stops, a browser notices by the missing pings alone.
   */
  readonly boundMs?: number;
  /**
   * It ends the process of Signalbox: in a long run it is played in the first round alone, so that one process lives through
   * all the others and it can be seen whether it stays flat.
   */
  readonly restarts?: boolean;
  /** A ground bears it only once: it is played in the first round alone. */
  readonly once?: boolean;
  /** Signalbox cannot answer meanwhile: it is ended, or takes no connection. */
  readonly silences?: boolean;
  /** Played in runs of so many minutes or more, and when it is asked for by its name; default 0. */
  readonly minutesMin?: number;
  /** How long after its end the screen may take to equal Consul; default `settleMaxMs`. */
  readonly settleMs?: number;
  inject(stage: Stage, chance: Chance): Promise<void>;
  /** Undoes `inject`; also called after a partial failure, or when time is up. */
  mend(stage: Stage, chance: Chance): Promise<void>;
}
