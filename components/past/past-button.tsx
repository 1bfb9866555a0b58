'use client';
import { useState } from 'react';
import { useSingleKey } from '@/components/dom/keys';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

const pastMenu = lazyPart(async () => (await import('./past-menu')).PastMenu);

const look =
  'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-[5px] border border-line px-2.5 text-[13px] text-ink-soft hover:border-line-strong hover:text-ink';

/** The button to the past board. Its menu loads on first use. */
export function PastButton() {
  const { past, pastHelp } = useMessages().desk.freeze;
  const [requested, setRequested] = useState(false);
  const [open, setOpen] = useState(false);
  const Menu = pastMenu.usePart();
  const ask = () => {
    setRequested(true);
    setOpen(true);
    void pastMenu.load().then(setRequested);
  };
  useSingleKey('t', ask);
  // Once asked for it stays, so that the focus comes back to its button.
  if (requested && Menu !== null) return <Menu look={look} open={open} onOpen={setOpen} />;
  return (
    <button
      type="button"
      title={pastHelp}
      aria-haspopup="dialog"
      aria-expanded={false}
      aria-keyshortcuts="t"
      onPointerEnter={() => void pastMenu.load()}
      onClick={ask}
      className={look}
    >
      <Icon name="history" size={13} />
      {/* One line with the sentence also on a small desk. */}
      <span className="lg:max-[1400px]:sr-only">{past}</span>
    </button>
  );
}
