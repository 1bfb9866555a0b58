'use client';
/** The choice of an instant for the past board: some times ago, or a date and time. */
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useFreeze } from '@/components/live/frozen';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { serverClock } from '@/lib/client/server-clock';
import { formatDuration } from '@/lib/i18n/format/format';
import { PastTime } from './past-time';

const minuteMs = 60_000;
const agos = [minuteMs, 5 * minuteMs, 20 * minuteMs, 60 * minuteMs, 24 * 60 * minuteMs];

/** A time to the second, so that its link is short. */
const wholeSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

interface PastMenuProps {
  readonly look: string;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

export function PastMenu({ look, open, onOpen }: PastMenuProps) {
  const { history, desk } = useAllMessages();
  return (
    <Popover.Root open={open} onOpenChange={onOpen}>
      <Popover.Trigger title={desk.freeze.pastHelp} aria-keyshortcuts="t" className={look}>
        <Icon name="history" size={13} />
        <span className="lg:max-[1400px]:sr-only">{desk.freeze.past}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={history.past.menu}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex w-80 max-w-[calc(100vw-1rem)] flex-col gap-2 rounded-[6px] border border-line-strong bg-raised p-3 shadow-xl"
        >
          <Times />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Times from the moment at which the menu was opened. */
function Times() {
  const { history, units } = useAllMessages();
  const { past } = history;
  const { go } = useFreeze();
  const [nowMs] = useState(() => wholeSecond(serverClock.now()));
  return (
    <>
      <span className="flex flex-wrap gap-1.5">
        {agos.map((ms) => (
          <Button
            key={ms}
            className="h-7! max-md:h-11!"
            onClick={() => go(wholeSecond(serverClock.now()) - ms)}
          >
            {past.ago(formatDuration(ms, units))}
          </Button>
        ))}
      </span>
      <PastTime atMs={nowMs - 5 * minuteMs} onGo={go} />
      <p className="text-[12px] text-ink-dim">{past.menuHelp}</p>
    </>
  );
}
