'use client';
import { useCallback, useEffect, useState } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

const palettePart = lazyPart(async () => (await import('./palette')).Palette);

/** Opens the palette, by its button or by Ctrl K and Cmd K from anywhere. */
export function PaletteButton() {
  const { palette } = useMessages().desk;
  const [open, setOpen] = useState(false);
  const Palette = palettePart.usePart();
  // A thrown error would take the last known state off the screen; the next press retries.
  const load = useCallback(() => {
    void palettePart.load().then((loaded) => {
      if (!loaded) setOpen(false);
    });
  }, []);
  useEffect(() => {
    const ask = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.metaKey || event.ctrlKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      // Never on top of an action's dialog. The same key closes the palette.
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
        <Icon name="command" size={15} />
        {/* Drawn, not text: the name says it already. */}
        <kbd
          data-hint={palette.hint}
          className="hidden text-[11px] text-ink-dim after:content-[attr(data-hint)] 2xl:inline"
        />
      </button>
      {Palette === null ? null : <Palette open={open} onOpenChange={setOpen} />}
    </>
  );
}
