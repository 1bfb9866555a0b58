'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useSingleKey } from '@/components/dom/keys';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

/** The event that opens the help from anywhere. */
export const askHelp = 'signalbox:help';

const legendPanel = lazyPart(async () => (await import('./legend-panel')).LegendPanel);

/** The meaning of every lamp, one click away from everywhere. */
export function Legend() {
  const { legend } = useMessages().shell;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const Panel = legendPanel.usePart();
  const show = useCallback(() => {
    setOpen(true);
    void legendPanel.load().then((loaded) => {
      if (!loaded) setOpen(false);
    });
  }, []);
  useSingleKey('?', show);
  useEffect(() => {
    window.addEventListener(askHelp, show);
    return () => window.removeEventListener(askHelp, show);
  }, [show]);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={legend.open}
        title={legend.open}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={show}
        className="inline-flex size-8 items-center justify-center rounded-[5px] text-ink-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="help" size={16} />
      </button>
      {Panel === null ? null : <Panel open={open} onOpenChange={setOpen} back={button} />}
    </>
  );
}
