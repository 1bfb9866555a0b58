'use client';
/** Holds the one open action dialog of the page. */
import { useCallback, useMemo, useState } from 'react';
import type { Why } from '@/lib/domain/refusal';
import { GroundContext } from './asking';
import { ActionDialog } from './dialog';
import type { Request } from './request';

/** Wraps the console: one dialog at a time, opened from any page. */
export function ActionGround({
  actionsOff,
  children,
}: {
  actionsOff: Why | null;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState<{ request: Request; n: number; back: Element | null } | null>(null);
  const ask = useCallback(
    (request: Request) =>
      setOpen((before) => ({
        request,
        n: (before?.n ?? 0) + 1,
        // A dialog that asks for another one (the way back, the rest of a batch) hands its own origin on.
        back: before === null ? document.activeElement : before.back,
      })),
    [],
  );
  const ground = useMemo(() => ({ actionsOff, ask }), [actionsOff, ask]);
  return (
    <GroundContext value={ground}>
      {children}
      {open === null ? null : (
        <ActionDialog key={open.n} request={open.request} back={open.back} onClose={() => setOpen(null)} />
      )}
    </GroundContext>
  );
}
