/** Whether the lease of a hold can still be that of the hold that was seen. Pure. */
import { z } from 'zod';
import type { Holder } from '@/lib/domain/model';

/**
 * - `any`: something else tells holds apart: a fencing token, or the holder's own random token.
 * - `fixed`: nobody renews it, so its end is the same.
 * - `renewed`: a watchdog may have moved its end on.
 * - `written`: as `renewed`; a writer's re-entries add up, so that a renewal may bring its end forward.
 */
const rules = ['any', 'fixed', 'renewed', 'written'] as const;

export const leaseSeen = z.strictObject({
  /** Epoch milliseconds of the server; `null`: never. */
  endsMs: z.nullable(z.int()),
  rule: z.enum(rules),
  /** The longest that a renewal leaves, in milliseconds. */
  longestMs: z.int().min(0),
});

export type LeaseSeen = z.infer<typeof leaseSeen>;

/** A watchdog renews every third of its lease, so that two thirds are left when it does. Threads are late. */
const renewalFactor = 1.5;
const lateMs = 2_000;

/** `holder`: as just read, with what the watch has learned of it. */
export function leaseOf(
  {
    endsMs,
    nowMs,
    token,
  }: { readonly endsMs: number | null; readonly nowMs: number; readonly token: string },
  { sessionId, evidence, expiry }: Holder,
): LeaseSeen {
  const restMs = endsMs === null ? 0 : Math.max(0, endsMs - nowMs);
  // A lease that was seen to be renewed has a known length.
  const longestMs = Math.ceil(expiry.withinMs ?? restMs * renewalFactor) + lateMs;
  const isFixed = evidence.some(({ code }) => code === 'redis-lease-fixed');
  const renewed = sessionId.endsWith(':write') ? 'written' : 'renewed';
  return { endsMs, longestMs, rule: token !== '' ? 'any' : isFixed ? 'fixed' : renewed };
}

/** As the scripts take it. */
export const leaseArgs = ({ endsMs, rule, longestMs }: LeaseSeen): readonly string[] => [
  String(endsMs ?? -1),
  rule,
  String(longestMs),
];
