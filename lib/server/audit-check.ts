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
  /** At most `ageMsMax` old. However many ask, the chain is walked once at a time. */
  check(): Promise<ChainState>;
}

const ageMsMax = 30_000;

export function createChainCheck(audit: Pick<Audit, 'verify'>, now: () => number): ChainCheck {
  let last: ChainState | null = null;
  let walking: Promise<ChainState> | null = null;
  const walk = async () => {
    const checkedAtMs = now();
    last = { ...(await audit.verify()), checkedAtMs };
    return last;
  };
  return {
    check: async () => {
      if (last !== null && now() - last.checkedAtMs < ageMsMax) return last;
      walking ??= walk().finally(() => {
        walking = null;
      });
      return walking;
    },
  };
}
