'use client';
/** The band that stays in sight while the past is shown: the instant, the steps in time, and the way back. */
import { clsx } from 'clsx';
import { useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { serverClock } from '@/lib/client/server-clock';
import type { PastChange } from '@/lib/domain/history/past';
import { formatDuration } from '@/lib/i18n/format/format';
import { PastTime } from './past-time';

interface PastBandProps {
  /** `null`: the address names none. */
  readonly atMs: number | null;
  readonly title: string;
  readonly age: string | null;
  readonly onGo: (atMs: number | null) => void;
  readonly onStep: (ms: number) => void;
  /** The nearest changes; `undefined`: not known yet. */
  readonly previous: PastChange | undefined;
  readonly next: PastChange | undefined;
  /** Some rows are hidden, whose changes count as well. */
  readonly searched: boolean;
}

const steps = [
  { ms: -60_000, key: '<' },
  { ms: -10_000, key: ',' },
  { ms: 10_000, key: '.' },
  { ms: 60_000, key: '>' },
];

const look =
  'inline-flex h-7 items-center rounded-[5px] border border-room/50 px-2 text-[13px] hover:border-room max-md:h-11';

export function PastBand({ atMs, title, age, onGo, onStep, previous, next, searched }: PastBandProps) {
  const { history, units, joint } = useAllMessages();
  const { past } = history;
  const [firstMs] = useState(() => serverClock.now());
  return (
    // The band has the colours of ink, which no page of the present has. On a phone only its first line stays.
    <section
      aria-label={past.label}
      className="text-[13px] text-room max-md:contents md:sticky md:top-(--header-height) md:z-20 md:flex md:flex-wrap md:items-center md:gap-x-4 md:gap-y-1.5 md:bg-ink md:px-6 md:py-2"
    >
      <div className="flex items-center justify-between gap-x-4 bg-ink text-[13px] text-room max-md:sticky max-md:top-0 max-md:z-20 max-md:px-4 max-md:py-1.5">
        <p role="status" className="min-w-0 max-w-[100ch]">
          <strong className="font-semibold">{title}</strong>
          {age === null ? null : <span> · {age}</span>}
        </p>
        <button
          type="button"
          aria-keyshortcuts="Escape"
          onClick={() => onGo(null)}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-[5px] border border-brass bg-brass px-3 font-medium text-[13px] text-on-brass hover:bg-brass-strong max-md:h-11 print:hidden"
        >
          {past.back}
          <span aria-hidden="true" className="hidden lg:inline">
            <kbd className="rounded border border-current/40 px-1 text-[11px] leading-4">Esc</kbd>
          </span>
        </button>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 bg-ink text-[13px] text-room max-md:px-4 max-md:pb-2 print:hidden">
        {atMs === null ? null : (
          <fieldset className="flex flex-wrap items-center gap-1">
            <legend className="sr-only">{past.steps.label}</legend>
            {steps.map(({ ms, key }) => {
              const span = formatDuration(Math.abs(ms), units);
              return (
                <button
                  key={ms}
                  type="button"
                  aria-label={ms < 0 ? past.steps.earlier(span) : past.steps.later(span)}
                  aria-keyshortcuts={key}
                  onClick={() => onStep(ms)}
                  className={look}
                >
                  {`${ms < 0 ? '−' : '+'}${span}`}
                </button>
              );
            })}
            <ChangeButton change={previous} text={past.steps.previous} keys="p" onGo={onGo} />
            <ChangeButton change={next} text={past.steps.next} keys="n" onGo={onGo} />
          </fieldset>
        )}
        {/* One place for it, there before it says anything. */}
        <span role="status" className="empty:hidden">
          {[
            ...(atMs === null || previous?.atMs !== null
              ? []
              : [previous.complete ? past.steps.noPrevious : past.steps.previousNotFound]),
            ...(atMs === null || next?.atMs !== null
              ? []
              : [next.complete ? past.steps.noNext : past.steps.nextNotFound]),
            ...(atMs !== null && searched ? [past.steps.searched] : []),
          ].join(joint)}
        </span>
        <PastTime atMs={atMs ?? firstMs} onGo={onGo} />
      </div>
    </section>
  );
}

interface ChangeButtonProps {
  readonly change: PastChange | undefined;
  readonly text: string;
  readonly keys: string;
  readonly onGo: (atMs: number) => void;
}

/** Without a change the button stays in the order of the Tab key, as the next step may find one. */
function ChangeButton({ change, text, keys, onGo }: ChangeButtonProps) {
  const atMs = change?.atMs ?? null;
  return (
    <button
      type="button"
      aria-keyshortcuts={keys}
      aria-disabled={atMs === null}
      onClick={() => {
        if (atMs !== null) onGo(atMs);
      }}
      className={clsx(look, 'aria-disabled:cursor-not-allowed aria-disabled:border-dashed')}
    >
      {text}
    </button>
  );
}
