'use client';
import './globals.css';
import { useEffect, useState } from 'react';
import type { broken } from '@/lib/i18n/en/broken';
import { failed as en } from '@/lib/i18n/en/failed';
import { languageTags } from '@/lib/i18n/language';
import { failed as zh } from '@/lib/i18n/zh/failed';

const words = {
  en: () => import('@/lib/i18n/en/broken'),
  zh: () => import('@/lib/i18n/zh/broken'),
};
/** Said until the rest comes, and where nothing comes any more. The rest would be weight of every first load. */
const atOnce = { en, zh };

/** As the document says that was drawn before; where none was, as the browser prefers. The edge is not here to be asked. */
function ownLanguage(): keyof typeof words {
  if (typeof document === 'undefined') return 'en';
  return (document.documentElement.lang || navigator.language).startsWith('zh') ? 'zh' : 'en';
}

/**
 * A bug in the frame itself, where no page of ours could be drawn. It needs nothing that may be what is broken: no
 * provider, no stream, no words but its own.
 */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  const [language] = useState(ownLanguage);
  const [more, setMore] = useState<typeof broken | null>(null);
  useEffect(() => {
    // The frame that would have said that the page answers never came, and the button below would be kept for it.
    window.signalboxEarly?.end();
    words[language]().then(
      (came) => setMore(came.broken),
      // What stands there is true, and tells what to do.
      () => {},
    );
  }, [language]);
  const { title, retry } = atOnce[language];
  return (
    <html lang={languageTags[language]}>
      <body>
        <title>{title}</title>
        <main role="alert" className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
          <h1 className="font-medium text-[21px]">{title}</h1>
          {more === null ? null : (
            <>
              <p>{more.text}</p>
              <p className="text-ink-soft">{more.next}</p>
              {error.digest === undefined ? null : (
                <p className="font-mono text-[12px] text-ink-dim">{more.reference(error.digest)}</p>
              )}
            </>
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
