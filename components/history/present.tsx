'use client';
/** What the last day says of the present, whatever range is looked at: what an action came to, and how long is usual. */
import type { HeldSubject } from '@/lib/domain/history/episode';
import { rangeLengths } from './range';
import { RecoveryLine } from './recovery-line';
import { askedOf, useHistory } from './use-history';
import { UsualLine } from './usual-line';

export function Present({ of, nowMs }: { of: HeldSubject; nowMs: number }) {
  // The timeline's first range is the same one, and is asked once.
  const day = { fromMs: nowMs - rangeLengths.day, toMs: nowMs, live: true };
  const { data } = useHistory(askedOf(of), day);
  if (data === undefined || data.off) return null;
  return (
    <>
      <RecoveryLine history={data} nowMs={nowMs} />
      <UsualLine history={data} nowMs={nowMs} />
    </>
  );
}
