'use client';
import { clsx } from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { When } from '@/components/live/clock';
import type { Deed, DeedState } from '@/lib/domain/actions/deed';
import { ComeOf } from './come-of';
import { DeedWords } from './deed-words';
import { RawRows } from './raw-rows';
import { HitLine } from './whom';

/** Shape before colour: a full disc, half of one, a crossed ring, a hatched ring, a dot. */
const marks: Readonly<Record<DeedState, { readonly shape: React.ReactNode; readonly tone: string }>> = {
  done: { shape: <circle cx="8" cy="8" r="5.5" fill="currentColor" />, tone: 'text-lamp-alive' },
  partly: {
    shape: (
      <>
        <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.2" />
        <path d="M8 2.5 A5.5 5.5 0 0 0 8 13.5 Z" fill="currentColor" />
      </>
    ),
    tone: 'text-caution',
  },
  refused: {
    shape: (
      <path
        d="M8 2.5 A5.5 5.5 0 1 0 8 13.5 A5.5 5.5 0 1 0 8 2.5 M4.2 11.8 L11.8 4.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    ),
    tone: 'text-ink-soft',
  },
  unknown: {
    shape: (
      <path
        d="M8 2.5 A5.5 5.5 0 1 0 8 13.5 A5.5 5.5 0 1 0 8 2.5 M4.6 8 H11.4 M5.6 5.2 H10.4 M5.6 10.8 H10.4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.2"
      />
    ),
    tone: 'text-danger',
  },
  'under-way': { shape: <circle cx="8" cy="8" r="2.5" fill="currentColor" />, tone: 'text-ink-soft' },
};

/** A line of who, when, what and its outcome; opened, the rows as they are. */
export function DeedRow({ deed }: { deed: Deed }) {
  const { audit } = useAllMessages();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { head, state } = deed;
  return (
    <li className="border-line border-b px-4 py-2 hover:bg-hover sm:px-6">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 text-[13px] md:grid-cols-[9.5rem_minmax(0,3fr)_minmax(0,2fr)_1.75rem]">
        <span className="text-ink-dim">
          <When atMs={head.atMs} />
        </span>
        <div className="col-span-2 min-w-0 text-ink-soft md:col-span-1">
          <p className="break-words">
            <DeedWords deed={deed} />
          </p>
          <HitLine deed={deed} />
          {head.reason === '' ? null : (
            <p className="break-words text-ink-dim">{audit.reason(head.reason)}</p>
          )}
        </div>
        <div className="col-span-2 min-w-0 md:col-span-1">
          {state === null ? null : (
            <p className="flex items-center gap-2" title={audit.stateMeaning[state]}>
              <svg
                width="14"
                height="14"
                viewBox="0 0 16 16"
                aria-hidden="true"
                className={clsx('shrink-0', marks[state].tone)}
              >
                {marks[state].shape}
              </svg>
              <span className={state === 'unknown' ? 'text-danger' : 'text-ink'}>{audit.states[state]}</span>
            </p>
          )}
          <ComeOf deed={deed} />
        </div>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={audit.details}
          title={audit.details}
          onClick={() => setOpen(!open)}
          className="col-start-2 row-start-1 inline-flex size-7 items-center justify-center rounded text-ink-dim hover:bg-inset hover:text-ink md:col-start-4"
        >
          <ChevronRight size={15} aria-hidden="true" className={clsx(open && 'rotate-90')} />
        </button>
      </div>
      <div id={id} hidden={!open}>
        {open ? <RawRows deed={deed} /> : null}
      </div>
    </li>
  );
}
