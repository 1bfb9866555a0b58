'use client';
import { Dialog } from 'radix-ui';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';

/** A browser that refuses the clipboard still lets a person copy by hand. */
export function Refused({ text, onClose }: { text: string; onClose: () => void }) {
  const { copy } = useMessages();
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[80vh] w-[min(40rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 flex-col gap-3 rounded-[6px] border border-line-strong bg-panel p-5 shadow-2xl"
        >
          <Dialog.Title className="font-medium text-[15px]">{copy.refused}</Dialog.Title>
          <textarea
            readOnly
            aria-label={copy.button}
            value={text}
            rows={10}
            onFocus={(event) => event.target.select()}
            className="rounded-[5px] border border-line bg-inset p-2 font-mono text-[12px]"
          />
          <Dialog.Close asChild>
            <Button className="self-end">{copy.close}</Button>
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
