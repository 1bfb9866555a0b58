'use client';
import { useEffect, useState } from 'react';
import { copyText } from './clipboard';
import { Icon } from './icon';

interface CopyProps {
  readonly text: string | (() => string);
  readonly label: string;
  readonly done: string;
}

/**
 * Copies a text whole; a function makes it at the press. Confirms for two seconds, and does not change when the browser
 * refuses.
 */
export function Copy({ text, label, done }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      data-inline=""
      aria-label={copied ? done : label}
      title={copied ? done : label}
      onClick={() => {
        void copyText(typeof text === 'string' ? text : text()).then(setCopied);
      }}
      className="relative inline-flex size-6 shrink-0 items-center justify-center rounded text-ink-dim hover:bg-hover hover:text-ink max-md:after:absolute max-md:after:-inset-y-2.5 max-md:after:-right-4 max-md:after:-left-1"
    >
      {copied ? <Icon name="check" size={13} /> : <Icon name="copy" size={13} />}
    </button>
  );
}
