'use client';
import './globals.css';
import { useEffect, useState } from 'react';
import { broken as en } from '@/lib/i18n/en/broken';
import { languageTags } from '@/lib/i18n/language';
import { broken as zh } from '@/lib/i18n/zh/broken';

const words = { en, zh };

/** The earlier document's language, else the browser's. The server's edge is out of reach here. */
function ownLanguage(): keyof typeof words {
  if (typeof document === 'undefined') return 'en';
  return (document.documentElement.lang || navigator.language).startsWith('zh') ? 'zh' : 'en';
}

/**
 * A bug in the frame itself. This page needs nothing that may be broken: no provider, no stream, only words of its own.
 */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  const [language] = useState(ownLanguage);
  useEffect(() => {
    // The frame that would have ended the recording of early input never came.
    window.signalboxEarly?.end();
  }, []);
  const { title, text, next, reference, retry } = words[language];
  return (
    <html lang={languageTags[language]}>
      <body>
        <title>{title}</title>
        <main role="alert" className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
          <h1 className="font-medium text-[21px]">{title}</h1>
          <p>{text}</p>
          <p className="text-ink-soft">{next}</p>
          {error.digest === undefined ? null : (
            <p className="font-mono text-[12px] text-ink-dim">{reference(error.digest)}</p>
          )}
          <button
            type="button"
            onClick={() => window.location.reload()}
            className="inline-flex h-8 items-center rounded-[5px] border border-line-strong bg-raised px-3 font-medium text-[13px] hover:border-brass"
          >
            {retry}
          </button>
        </main>
      </body>
    </html>
  );
}
