'use client';
import { useState } from 'react';
import { useActionGround } from '@/components/actions/action-context';
import { later } from '@/components/dom/later';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { Tip } from '@/components/ui/tip';
import type { EmbedView } from '@/lib/domain/sharing/grant';
import { worded } from '@/lib/i18n/format/worded';

const shareDialog = later(async () => (await import('./share-dialog')).ShareDialog);

/** Opens the dialog that shares a lock, a semaphore, or all that begins with a prefix. */
export function ShareButton({ view, name }: { view: EmbedView; name: string }) {
  const { shell, why } = useMessages();
  const { share } = shell;
  const { actionsOff } = useActionGround();
  const [open, setOpen] = useState(false);
  const Share = shareDialog.usePart();
  // Whoever may not write here may not share either; the reason is the same.
  const off = actionsOff !== null;
  const reason = off ? worded(actionsOff, why) : null;
  return (
    <>
      <Tip text={reason}>
        <Button
          tone="quiet"
          className="h-7! border-line! px-2.5!"
          aria-disabled={off}
          aria-haspopup="dialog"
          aria-label={name === '' ? share.all : share.open(name)}
          onClick={() => {
            if (off) return;
            setOpen(true);
            void shareDialog.load().then((come) => {
              if (!come) setOpen(false);
            });
          }}
        >
          <Icon name="share" size={13} />
          {share.button}
        </Button>
      </Tip>
      {open && Share !== null ? <Share view={view} name={name} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
