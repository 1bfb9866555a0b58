/** The test that a hold is still the one that was seen, by its lease. Pure. */
import { z } from 'zod';
import type { Holder } from '@/lib/domain/model';

/**
 * - `any`: a fencing token, or the holder's own random token, tells holds apart.
 * - `fixed`: no watchdog renews the lease, so its end stays the same.
 * - `renewed`: a watchdog may have moved the end.
 * - `written`: as `renewed`, but a renewal may bring the end forward, because a writer's re-entries add up.
 */
const rules = ['any', 'fixed', 'renewed', 'written'] as const;

export const leaseSeen = z.strictObject({
  /** Epoch milliseconds of the server; `null`: the lease never ends. */
  endsMs: z.nullable(z.int()),
  rule: z.enum(rules),
  /** The longest lease that a renewal leaves, in milliseconds. */
  longestMs: z.int().min(0),
});

export type LeaseSeen = z.infer<typeof leaseSeen>;

/** A watchdog renews every third of its lease, so two thirds are left when it does. Threads are late. */
const renewalFactor = 1.5;
const lateMs = 2_000;

/** `holder`: as just read, with everything that the watch has learned of it. */
export function leaseOf(
  {
    endsMs,
    nowMs,
    token,
  }: { readonly endsMs: number | null; readonly nowMs: number; readonly token: string },
  { sessionId, evidence, expiry }: Holder,
): LeaseSeen {
  const restMs = endsMs === null ? 0 : Math.max(0, endsMs - nowMs);
  // The length of a lease is known once a renewal was seen.
  const longestMs = Math.ceil(expiry.withinMs ?? restMs * renewalFactor) + lateMs;
  const isFixed = evidence.some(({ code }) => code === 'redis-lease-fixed');
  const renewed = sessionId.endsWith(':write') ? 'written' : 'renewed';
  return { endsMs, longestMs, rule: token !== '' ? 'any' : isFixed ? 'fixed' : renewed };
}

/** The arguments of the scripts for a lease. */
export const leaseArgs = ({ endsMs, rule, longestMs }: LeaseSeen): readonly string[] => [
  String(endsMs ?? -1),
  rule,
  String(longestMs),
];
