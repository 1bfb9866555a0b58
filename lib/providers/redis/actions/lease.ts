/** Whether the lease of a hold can still be that of the hold that was seen. Pure. */
import { z } from 'zod';
import type { Lock } from '@/lib/domain/model';

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

/** A watchdog renews every third of its lease, so two thirds are left when it does; and servers and threads are late. */
const renewalFactor = 1.5;
const lateMs = 2_000;

/** The end of a lease that was watched from its beginning and never renewed; `null`: not known to be so. */
function fixedEndMs(watched: Lock | null, sessionId: string): number | null {
  const holder = [watched?.holder, ...(watched?.readers ?? [])].find((one) => one?.sessionId === sessionId);
  const latest = holder?.expiry.latestMs ?? null;
  const isFixed = holder?.evidence.some(({ code }) => code === 'redis-lease-fixed') === true;
  return isFixed ? latest : null;
}

export function leaseOf(
  {
    endsMs,
    nowMs,
    token,
  }: { readonly endsMs: number | null; readonly nowMs: number; readonly token: string },
  sessionId: string,
  watched: Lock | null,
): LeaseSeen {
  const restMs = endsMs === null ? 0 : Math.max(0, endsMs - nowMs);
  const longestMs = Math.ceil(restMs * renewalFactor) + lateMs;
  if (token !== '') return { endsMs, rule: 'any', longestMs };
  // The row on screen must be about this very end.
  if (endsMs !== null && fixedEndMs(watched, sessionId) === endsMs)
    return { endsMs, rule: 'fixed', longestMs };
  return { endsMs, rule: sessionId.endsWith(':write') ? 'written' : 'renewed', longestMs };
}

/** As the scripts take it. */
export const leaseArgs = ({ endsMs, rule, longestMs }: LeaseSeen): readonly string[] => [
  String(endsMs ?? -1),
  rule,
  String(longestMs),
];
