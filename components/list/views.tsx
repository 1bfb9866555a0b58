'use client';
import { useState } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

const viewsMenu = lazyPart(async () => (await import('./views-menu')).ViewsMenu);

const look =
  'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-[5px] border border-line px-2.5 text-[13px] text-ink-soft hover:border-line-strong hover:text-ink';

/** Opens the menu of saved views, whose code loads on first use. */
export function Views() {
  const { button } = useMessages().desk.views;
  const [requested, setRequested] = useState(false);
  const Menu = viewsMenu.usePart();
  if (requested && Menu !== null) return <Menu look={look} />;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={false}
      onPointerEnter={() => void viewsMenu.load()}
      onClick={() => {
        setRequested(true);
        void viewsMenu.load().then(setRequested);
      }}
      className={look}
    >
      <Icon name="bookmark" size={13} />
      {button}
    </button>
  );
}
