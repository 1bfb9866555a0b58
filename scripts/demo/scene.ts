/** The tools of every role of the demo world: Consul, chance, and the end. */
import type { Consul } from '@signalbox/locks';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { Dice } from './dice';

export interface Scene {
  /** For roles that use our own locks and semaphores. */
  readonly consul: Consul;
  /** For roles of other software, whose writes no client of ours makes. */
  readonly client: ConsulClient;
  readonly dice: Dice;
  /** Aborts when the demo ends. */
  readonly end: AbortSignal;
}

/**
 * Repeats `act` until the end. A failure ends only its round, because restarts of Consul and operators' actions belong
 * to a demo.
 */
export async function forever({ end }: Scene, act: () => Promise<void>): Promise<void> {
  let said = '';
  while (!end.aborted) {
    try {
      await act();
      said = '';
    } catch (error) {
      if (end.aborted) return;
      const text = error instanceof Error ? error.message : String(error);
      if (process.env.SIGNALBOX_DEMO_LOG && text !== said) console.error(`demo: ${text}`);
      said = text;
      await pause(2_000, end).catch(() => {});
    }
  }
}

/** Works for `ms`, or until the lock is lost or the demo ends, whichever is first. Never rejects. */
export async function work(ms: number, ...until: readonly AbortSignal[]): Promise<void> {
  await pause(ms, AbortSignal.any([...until])).catch(() => {
    // The caller releases its holds after the abort.
  });
}
