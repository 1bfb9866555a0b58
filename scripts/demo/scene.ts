/** What every role of the demo world needs: Consul, chance, and the end. */
import type { Consul } from '@signalbox/locks';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { Dice } from './dice';

export interface Scene {
  /** For roles that use our own locks and semaphores. */
  readonly consul: Consul;
  /** For roles of other software, which write what no client of ours does. */
  readonly client: ConsulClient;
  readonly dice: Dice;
  /** Aborts when the demo ends. */
  readonly end: AbortSignal;
}

/**
 * Repeats `act` until the end. A failure (Consul restarts, an operator took the lock: all of that belongs to a demo)
 * ends only its round.
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
    // Told to stop: the caller releases what it has.
  });
}
