'use client';
/** Holds the one open action dialog of the page. */
import { useCallback, useMemo, useRef, useState } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import type { Why } from '@/lib/domain/refusal';
import type { DialogState } from '@/lib/view/actions/dialog-state';
import type { DialogRequest } from '@/lib/view/actions/request';
import { ActionContext } from './action-context';
import type { Draft } from './draft';

export const actionDialog = lazyPart(async () => (await import('./dialog')).ActionDialog);

interface ProviderProps {
  readonly actionsOff: Why | null;
  /**
   * Replaces everything when the page's person is signed out; its argument is the open dialog's stage. The typed text
   * stays here, in memory.
   */
  readonly instead?: ((open: 'draft' | 'sent' | null) => React.ReactNode) | null;
  readonly children: React.ReactNode;
}

interface Open {
  readonly request: DialogRequest;
  readonly n: number;
  readonly back: Element | null;
}

interface KeptDialog {
  readonly n: number;
  readonly draft: Draft;
  readonly at: DialogState['at'];
}

/** Wraps the console: one dialog at a time, opened from any page. */
export function ActionProvider({ actionsOff, instead = null, children }: ProviderProps) {
  const [open, setOpen] = useState<Open | null>(null);
  const keptDialog = useRef<KeptDialog | null>(null);
  const ActionDialog = actionDialog.usePart();
  const ask = useCallback((request: DialogRequest) => {
    void actionDialog.load().then((loaded) => {
      if (!loaded) setOpen(null);
    });
    setOpen((before) => ({
      request,
      n: (before?.n ?? 0) + 1,
      // A dialog opened from another one (undo, the rest of a batch) inherits its origin.
      back: before === null ? document.activeElement : before.back,
    }));
  }, []);
  const n = open?.n ?? 0;
  const keep = useCallback(
    (draft: Draft, at: DialogState['at']) => {
      keptDialog.current = { n, draft, at };
    },
    [n],
  );
  const actions = useMemo(() => ({ actionsOff, ask }), [actionsOff, ask]);
  const out = instead !== null;
  const [left, setLeft] = useState<KeptDialog | null>(null);
  const [wasOut, setWasOut] = useState(false);
  if (out !== wasOut) {
    setWasOut(out);
    if (out) setLeft(open === null || keptDialog.current?.n !== n ? null : keptDialog.current);
    // A sent action must not be sent twice, so that dialog does not return.
    else if (left?.at === 'applying' || left?.at === 'done') setOpen(null);
  }
  if (instead !== null) {
    if (left === null || left.at === 'done') return instead(null);
    return instead(left.at === 'applying' ? 'sent' : 'draft');
  }
  return (
    <ActionContext value={actions}>
      {children}
      {open === null || ActionDialog === null ? null : (
        <ActionDialog
          key={open.n}
          request={open.request}
          kept={left?.n === open.n ? left.draft : null}
          onKeep={keep}
          back={open.back}
          onClose={() => setOpen(null)}
        />
      )}
    </ActionContext>
  );
}
