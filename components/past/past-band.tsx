'use client';
/** What stays in sight while the past is shown: which instant, the steps in time, and the way back. */
import { useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { serverClock } from '@/lib/client/server-clock';
import { formatDuration } from '@/lib/i18n/format/format';
import { PastTime } from './past-time';

interface PastBandProps {
  /** `null`: the address names none. */
  readonly atMs: number | null;
  readonly title: string;
  readonly age: string | null;
  readonly onGo: (atMs: number | null) => void;
  readonly onStep: (ms: number) => void;
}

const steps = [
  { ms: -60_000, key: '<' },
  { ms: -10_000, key: ',' },
  { ms: 10_000, key: '.' },
  { ms: 60_000, key: '>' },
];

const look =
  'inline-flex h-7 items-center rounded-[5px] border border-room/50 px-2 text-[13px] hover:border-room max-md:h-11';

export function PastBand({ atMs, title, age, onGo, onStep }: PastBandProps) {
  const { history, units } = useAllMessages();
  const { past } = history;
  const [firstMs] = useState(() => serverClock.now());
  return (
    // In the colours of ink: no page of the present has such a band. On a phone only its first line stays.
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
          </fieldset>
        )}
        <PastTime atMs={atMs ?? firstMs} onGo={onGo} />
      </div>
    </section>
  );
}
