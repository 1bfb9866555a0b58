'use client';
import { useEffect, useState } from 'react';
import { copyText } from './clipboard';
import { Icon } from './icon';

/** Copies a text whole. Says so for two seconds; when the browser refuses, it says nothing was copied by not changing. */
export function Copy({ text, label, done }: { text: string; label: string; done: string }) {
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
        void copyText(text).then(setCopied);
      }}
      className="relative inline-flex size-6 shrink-0 items-center justify-center rounded text-ink-dim hover:bg-hover hover:text-ink max-md:after:absolute max-md:after:-inset-y-2.5 max-md:after:-right-4 max-md:after:-left-1"
    >
      {copied ? <Icon name="check" size={13} /> : <Icon name="copy" size={13} />}
    </button>
  );
}
