'use client';
/** Replaces a page whose person is signed out: the fact at once, and the way back in once loaded. */
import { type ComponentProps, useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import type { SignedOutNotice } from './signed-out';

const notice = lazyPart(async () => (await import('./signed-out')).SignedOutNotice);

/** Only a person who cannot reach Signalbox waits this long. */
const triedAgainMs = 2_000;

export function Out(props: ComponentProps<typeof SignedOutNotice>) {
  const { shell } = useMessages();
  const Notice = notice.usePart();
  useEffect(() => {
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    let ended = false;
    const load = async () => {
      if (!(await notice.load()) && !ended) retryTimer = setTimeout(load, triedAgainMs);
    };
    void load();
    return () => {
      ended = true;
      clearTimeout(retryTimer);
    };
  }, []);
  if (Notice !== null) return <Notice {...props} />;
  return (
    <main id="content" className="mx-auto w-full max-w-[34rem] px-4 py-10 sm:px-6 sm:py-16">
      <p role="status" className="font-medium text-[21px]">
        {shell.signedOut}
      </p>
    </main>
  );
}
