/** The result of the last walk over the audit's chain. */
import type { Audit } from './audit';

export interface ChainState {
  readonly rows: number;
  /** The first row that does not fit; `null`: the chain is intact. */
  readonly brokenAt: number | null;
  /** `null`: no row. A copy kept elsewhere reveals a cut at the end. */
  readonly head: string | null;
  readonly checkedAtMs: number;
}

export interface ChainCheck {
  /**
   * One walk at a time serves all callers. Its result stays valid for twenty times its duration, so walks take a
   * twentieth of the server's time.
   */
  check(): Promise<ChainState>;
}

const restMsMin = 2_000;
const restFactor = 20;

export function createChainCheck(audit: Pick<Audit, 'verify'>, now: () => number): ChainCheck {
  let last: ChainState | null = null;
  let againMs = 0;
  let inFlight: Promise<ChainState> | null = null;
  const verify = async () => {
    const checkedAtMs = now();
    last = { ...(await audit.verify()), checkedAtMs };
    const endMs = now();
    againMs = endMs + Math.max(restMsMin, restFactor * (endMs - checkedAtMs));
    return last;
  };
  return {
    check: async () => {
      // A walk "later" than now happened before the clock was set back.
      if (last !== null && now() >= last.checkedAtMs && now() < againMs) return last;
      inFlight ??= verify().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
  };
}
