'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { DialogFrame } from '@/components/ui/dialog-frame';

interface RefusedProps {
  readonly text: string;
  readonly back: Element | null;
  readonly onClose: () => void;
}

/** A browser that refuses the clipboard still lets a person copy by hand. */
export function Refused({ text, back, onClose }: RefusedProps) {
  const { copy } = useMessages();
  return (
    <DialogFrame title={copy.refused} back={back} onClose={onClose}>
      <div className="flex flex-col gap-3 px-5 py-4">
        <textarea
          readOnly
          aria-label={copy.button}
          value={text}
          rows={10}
          onFocus={(event) => event.target.select()}
          className="rounded-[5px] border border-line bg-inset p-2 font-mono text-[12px]"
        />
        <Button className="self-end" onClick={onClose}>
          {copy.close}
        </Button>
      </div>
    </DialogFrame>
  );
}
