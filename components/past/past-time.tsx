'use client';
/** A date and time in this browser's zone, and some times ago. */
import { useId, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { formatInstant } from '@/lib/i18n/format/format';

interface PastTimeProps {
  readonly atMs: number;
  readonly onGo: (atMs: number) => void;
}

/** `2026-11-26T02:13:00`, as a field for dates and times takes it. */
const fieldText = (atMs: number, zone: string): string => formatInstant(atMs, zone).replace(' ', 'T');

export function PastTime({ atMs, onGo }: PastTimeProps) {
  const { past } = useAllMessages().history;
  const zone = useZone();
  const [text, setText] = useState(() => fieldText(atMs, zone));
  // A step in time also moves the field, and keeps the focus in it.
  const [shownMs, setShownMs] = useState(atMs);
  if (shownMs !== atMs) {
    setShownMs(atMs);
    setText(fieldText(atMs, zone));
  }
  const id = useId();
  return (
    <form
      className="flex flex-wrap items-center gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        const atMs = Date.parse(text);
        if (Number.isFinite(atMs)) onGo(atMs);
      }}
    >
      <label htmlFor={id} className="sr-only">
        {past.time}
      </label>
      <input
        id={id}
        type="datetime-local"
        step="1"
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-7 min-w-0 rounded-[5px] border border-line-strong bg-panel px-1.5 text-[13px] text-ink max-md:h-11"
      />
      <button
        type="submit"
        className="h-7 rounded-[5px] border border-line-strong bg-raised px-2.5 font-medium text-[13px] text-ink hover:border-brass hover:text-brass-strong max-md:h-11"
      >
        {past.show}
      </button>
    </form>
  );
}
