'use client';
import { useState } from 'react';
import { useActionContext } from '@/components/actions/action-context';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { Tip } from '@/components/ui/tip';
import type { EmbedView } from '@/lib/domain/sharing/grant';
import type { SourceId } from '@/lib/domain/source';
import { worded } from '@/lib/i18n/format/worded';

const shareDialog = lazyPart(async () => (await import('./share-dialog')).ShareDialog);

/** Opens the dialog that shares a lock, a semaphore, or all that begins with a prefix. */
export function ShareButton({ source, view, name }: { source?: SourceId; view: EmbedView; name: string }) {
  const { shell, why } = useMessages();
  const { share } = shell;
  const { actionsOff } = useActionContext();
  const [open, setOpen] = useState(false);
  const Share = shareDialog.usePart();
  // A person who may not write here may not share, for the same reason.
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
            void shareDialog.load().then((loaded) => {
              if (!loaded) setOpen(false);
            });
          }}
        >
          <Icon name="share" size={13} />
          {share.button}
        </Button>
      </Tip>
      {open && Share !== null ? (
        <Share source={source} view={view} name={name} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}
