'use client';
/**
 * Replaces a page whose person is signed out: the reason, the fate of an open dialog, and the way back in. Nothing of
 * the page is below it.
 */
import { useEffect, useRef } from 'react';
import { useMessages } from '@/components/dom/locale';
import { tellOtherTabs, useSessionWatch } from '@/components/live/session-root';
import { Brand } from '@/components/marks/brand';
import { Button } from '@/components/ui/button';
import type { SessionState } from '@/lib/client/session-watch';
import { identityKey } from '@/lib/domain/identity';
import { worded } from '@/lib/i18n/format/worded';
import { nameOf } from '@/lib/view/identity-name';
import { SignInForm } from './sign-in-form';

interface NoticeProps {
  readonly out: Extract<SessionState, { at: 'out' }>;
  readonly datacenter: string | null;
  /** The stage of an open dialog; `null`: none. */
  readonly open: 'draft' | 'sent' | null;
}

/** Nothing of this page's memory goes to another person's. */
const begin = () => window.location.reload();

export function SignedOutNotice({ out, datacenter, open }: NoticeProps) {
  const m = useMessages();
  const { out: texts } = m.identity;
  const watch = useSessionWatch();
  const heading = useRef<HTMLHeadingElement>(null);
  useBareTitle(m.shell.brand);
  useEffect(() => heading.current?.focus(), []);
  const { now, problem, was } = out;
  return (
    <main
      id="content"
      className="mx-auto flex w-full max-w-[34rem] flex-col gap-5 px-4 py-10 sm:px-6 sm:py-16"
    >
      <p className="flex items-center gap-2.5 font-semibold tracking-[0.14em]">
        <Brand old />
        <span className="text-[13px] uppercase">{m.shell.brand}</span>
      </p>
      <div role="status" className="flex flex-col gap-2">
        <h1 ref={heading} tabIndex={-1} className="font-medium text-[21px] outline-none">
          {texts.title}
        </h1>
        <p>{problem.why == null ? m.problems[problem.code].title : worded(problem.why, m.why)}</p>
        <p className="text-ink-soft">{texts.cleared}</p>
        {open === null ? null : <p className="text-ink">{texts[open]}</p>}
      </div>
      {now === null ? null : (
        <div className="flex flex-col items-start gap-2 border-line border-t pt-4">
          {now.kind === 'anonymous' ? null : <p>{texts.other(nameOf(now, m))}</p>}
          <Button onClick={begin}>
            {now.kind === 'anonymous' ? texts.goOnWithout : texts.goOnAs(nameOf(now, m))}
          </Button>
        </div>
      )}
      <div className="border-line border-t pt-4">
        <SignInForm
          datacenter={datacenter}
          onSignedIn={(session) => {
            tellOtherTabs();
            if (identityKey(session.identity) === identityKey(was)) watch?.told(session);
            else begin();
          }}
        />
      </div>
    </main>
  );
}

/** The title of the tab names the lock. */
function useBareTitle(brand: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = brand;
    return () => {
      document.title = before;
    };
  }, [brand]);
}
