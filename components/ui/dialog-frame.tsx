'use client';
import { Dialog } from 'radix-ui';
import type { RefObject } from 'react';

interface DialogFrameProps {
  readonly title: React.ReactNode;
  /** Gets the focus when the dialog opens; without it, the first element that can take it. */
  readonly first?: RefObject<HTMLElement | null>;
  readonly back: Element | null;
  readonly onClose: () => void;
  readonly children: React.ReactNode;
}

/** The frame of a dialog, at the bottom of a narrow window. A click beside it does not close it. */
export function DialogFrame({ title, first, back, onClose, children }: DialogFrameProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            if (first === undefined) return;
            event.preventDefault();
            first.current?.focus();
          }}
          onCloseAutoFocus={(event) => {
            // The dialog has no trigger of its own, and the button that opened it may be gone.
            event.preventDefault();
            if (back instanceof HTMLElement && back.isConnected) back.focus();
            // The content begins below the header, which a scroll would put out of sight.
            else document.getElementById('content')?.focus({ preventScroll: true });
          }}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-x-0 bottom-0 z-50 flex max-h-dvh flex-col overflow-y-auto border border-line-strong bg-panel shadow-2xl outline-none sm:inset-x-auto sm:top-1/2 sm:bottom-auto sm:left-1/2 sm:max-h-[88dvh] sm:low:max-h-dvh sm:w-[min(46rem,calc(100vw-2rem))] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg"
        >
          <Dialog.Title className="break-words border-line border-b px-5 py-4 font-semibold text-[16px] leading-6">
            {title}
          </Dialog.Title>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
