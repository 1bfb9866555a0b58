'use client';
import { Command as CommandIcon } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useMessages } from '@/components/locale';

type PaletteType = typeof import('./palette').Palette;

/**
 * Its code comes after the page, in an idle moment: most visits never open it, and who first opens it while Signalbox
 * is away still can. What does not come is asked for again with the next press; thrown, it would take the last known
 * state off the screen.
 */
function usePalette(onAway: () => void): { readonly Palette: PaletteType | null; readonly load: () => void } {
  const [Palette, setPalette] = useState<PaletteType | null>(null);
  const load = useCallback(() => {
    import('./palette').then((loaded) => setPalette(() => loaded.Palette), onAway);
  }, [onAway]);
  useEffect(() => {
    if (typeof requestIdleCallback === 'undefined') return;
    const idle = requestIdleCallback(load);
    return () => cancelIdleCallback(idle);
  }, [load]);
  return { Palette, load };
}

/** Opens the palette, by its button or by Ctrl K and Cmd K from anywhere. */
export function PaletteButton() {
  const { palette } = useMessages().desk;
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { Palette, load } = usePalette(close);
  useEffect(() => {
    const ask = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      // Never on top of the dialog of an action: that one is read to its end. Its own key closes the palette.
      const dialog = document.querySelector('[role=dialog]');
      if (dialog !== null && dialog.querySelector('[cmdk-root]') === null) return;
      event.preventDefault();
      load();
      setOpen((now) => !now);
    };
    document.addEventListener('keydown', ask);
    return () => document.removeEventListener('keydown', ask);
  }, [load]);
  return (
    <>
      <button
        type="button"
        aria-label={palette.open}
        title={palette.open}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => {
          load();
          setOpen(true);
        }}
        className="inline-flex h-8 items-center justify-center gap-1.5 rounded-[5px] px-2 text-ink-soft hover:bg-hover hover:text-ink"
      >
        <CommandIcon size={15} aria-hidden="true" />
        <kbd className="hidden text-[11px] text-ink-dim 2xl:inline">{palette.hint}</kbd>
      </button>
      {Palette === null ? null : <Palette open={open} onOpenChange={setOpen} />}
    </>
  );
}
