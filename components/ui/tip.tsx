'use client';
import { Tooltip } from 'radix-ui';

/**
 * Explains something on hover and on focus. The child must be able to take the focus, and stays the same element, with the
 * focus that it has, while what is explained comes and goes. `null`: nothing is.
 */
export function Tip({ text, children }: { text: React.ReactNode; children: React.ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      {text === null ? null : (
        <Tooltip.Portal>
          <Tooltip.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-80 rounded-[5px] border border-line-strong bg-raised px-3 py-2 text-[13px] text-ink shadow-lg"
          >
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  );
}

/** Shares the delay between all explanations of a page. */
export function TipProvider({ children }: { children: React.ReactNode }) {
  return <Tooltip.Provider delayDuration={250}>{children}</Tooltip.Provider>;
}
