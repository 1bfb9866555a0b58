'use client';
import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './clipboard';

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
      aria-label={copied ? done : label}
      title={copied ? done : label}
      onClick={() => {
        void copyText(text).then(setCopied);
      }}
      className="relative inline-flex size-6 shrink-0 items-center justify-center rounded text-ink-dim hover:bg-hover hover:text-ink"
    >
      {copied ? <Check size={13} aria-hidden="true" /> : <CopyIcon size={13} aria-hidden="true" />}
    </button>
  );
}
