'use client';
import { useState } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { useShownSource } from '@/components/live/sources';
import type { Subject } from '@/lib/domain/model';
import { subjectName } from '@/lib/domain/model';

const copyMenu = lazyPart(async () => (await import('./copy-menu')).CopyMenu);

// An icon of the library is three components, and a list renders dozens of these with each scroll.
const dots = (
  <svg viewBox="0 0 24 24" width={15} height={15} fill="currentColor" aria-hidden="true">
    <circle cx="5" cy="12" r="2" />
    <circle cx="12" cy="12" r="2" />
    <circle cx="19" cy="12" r="2" />
  </svg>
);

interface RowMenuProps {
  readonly subject: Subject;
  readonly tabIndex: number;
  readonly onOpenChange: (open: boolean) => void;
}

/** Hundreds of these buttons show during a scroll, so the menu is made at a press. */
export function RowMenu({ subject, tabIndex, onOpenChange }: RowMenuProps) {
  const { copy } = useMessages();
  const [requested, setRequested] = useState(false);
  const CopyMenu = copyMenu.usePart();
  const source = useShownSource(subject.source);
  const label = copy.row(
    source === null ? subjectName(subject) : `${subjectName(subject)} · ${source.title}`,
  );
  if (requested && CopyMenu !== null)
    return <CopyMenu subject={subject} inList opened tabIndex={tabIndex} onOpenChange={onOpenChange} />;
  const open = () => {
    onOpenChange(true);
    setRequested(true);
    void copyMenu.load().then((loaded) => {
      if (loaded) return;
      setRequested(false);
      onOpenChange(false);
    });
  };
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={false}
      aria-keyshortcuts="m"
      tabIndex={tabIndex}
      data-menu
      onPointerEnter={() => void copyMenu.load()}
      onClick={open}
      className="relative inline-flex size-7 items-center justify-center rounded-[5px] text-ink-dim hover:bg-raised hover:text-ink"
    >
      {dots}
    </button>
  );
}
