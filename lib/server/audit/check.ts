/** Whether the chain of the audit is whole, as it was last walked. */
import type { Audit } from './audit';

export interface ChainState {
  /** Rows that fit, from the first on. */
  readonly rows: number;
  /** The first row that does not fit; `null`: the chain is whole. */
  readonly brokenAt: number | null;
  /** Digest of the last row that fits; `null`: there is none. Kept elsewhere, it shows a cut at the end. */
  readonly head: string | null;
  readonly checkedAtMs: number;
}

export interface ChainCheck {
  /**
   * The chain as it is, or as it was a moment ago: it is walked by one at a time, however many ask, and then not again for
   * twenty times as long as that took. So a long chain costs a twentieth of the server's time at the most.
   */
  check(): Promise<ChainState>;
}

const restMsMin = 2_000;
const restFactor = 20;

export function createChainCheck(audit: Pick<Audit, 'verify'>, now: () => number): ChainCheck {
  let last: ChainState | null = null;
  let againMs = 0;
  let walking: Promise<ChainState> | null = null;
  const walk = async () => {
    const checkedAtMs = now();
    last = { ...(await audit.verify()), checkedAtMs };
    const endMs = now();
    againMs = endMs + Math.max(restMsMin, restFactor * (endMs - checkedAtMs));
    return last;
  };
  return {
    check: async () => {
      // What was walked "later" than now was walked before the clock was set back.
      if (last !== null && now() >= last.checkedAtMs && now() < againMs) return last;
      walking ??= walk().finally(() => {
        walking = null;
      });
      return walking;
    },
  };
}
