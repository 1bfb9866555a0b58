'use client';
/** Holds the one open action dialog of the page, and what every action button must know. */
import { createContext, use, useCallback, useMemo, useState } from 'react';
import { ActionDialog } from './dialog';
import type { Request } from './request';

interface Ground {
  /** Why this server takes no actions at all; `null` when it does. */
  readonly actionsOff: string | null;
  readonly ask: (request: Request) => void;
}

const GroundContext = createContext<Ground>({ actionsOff: null, ask: () => {} });

/** The ground that action buttons below stand on. */
export function useActionGround(): Ground {
  return use(GroundContext);
}

/** Wraps the console: one dialog at a time, opened from any page. */
export function ActionGround({
  actionsOff,
  children,
}: {
  actionsOff: string | null;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState<{ request: Request; n: number; back: Element | null } | null>(null);
  const ask = useCallback(
    (request: Request) =>
      setOpen((before) => ({ request, n: (before?.n ?? 0) + 1, back: document.activeElement })),
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
