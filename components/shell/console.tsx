'use client';
/** The frame of the console: everything that stands around a page and everything that pages share. */
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { ActionGround } from '@/components/action/ground';
import { ClockProvider } from '@/components/clock';
import { FreezeBand, FreezeProvider, FrozenPage } from '@/components/freeze/freeze';
import { LiveRoot } from '@/components/live-root';
import { useMessages } from '@/components/locale';
import { TipProvider } from '@/components/ui/tip';
import type { Why } from '@/lib/domain/refusal';
import type { Snapshot } from '@/lib/domain/snapshot';
import { Announcer } from './announcer';
import { isOld, useFreshness } from './freshness';
import { Header } from './header';
import { OutageBanner } from './outage-banner';

interface ConsoleProps {
  /** What the server read; the first paint shows it. */
  readonly initial: Snapshot;
  /** The server's clock and time zone, for the first paint. */
  readonly first: { readonly nowMs: number; readonly zone: string };
  /** Why this server takes no actions at all, in one sentence; `null` when it does. */
  readonly actionsOff: Why | null;
  /** True when the locks are those of the demo world. */
  readonly demo: boolean;
  readonly children: React.ReactNode;
}

/** Wraps every page of the console. */
export function Console({ initial, first, actionsOff, demo, children }: ConsoleProps) {
  return (
    <ClockProvider first={first}>
      <LiveRoot initial={initial}>
        <NuqsAdapter>
          <TipProvider>
            <ActionGround actionsOff={actionsOff}>
              <FreezeProvider>
                <Frame demo={demo}>{children}</Frame>
              </FreezeProvider>
            </ActionGround>
          </TipProvider>
        </NuqsAdapter>
      </LiveRoot>
    </ClockProvider>
  );
}

function Frame({ demo, children }: { demo: boolean; children: React.ReactNode }) {
  const { shell } = useMessages();
  const old = isOld(useFreshness());
  return (
    <>
      <a
        href="#content"
        className="sr-only z-50 rounded bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {shell.skip}
      </a>
      <Header />
      <aside aria-label={shell.banner.label}>
        {demo ? (
          <p className="border-line border-b bg-brass-wash px-4 py-1.5 text-[13px] text-ink-soft sm:px-6">
            {shell.demo}
          </p>
        ) : null}
        <OutageBanner />
      </aside>
      <FreezeBand />
      <main id="content" tabIndex={-1} className={old ? 'not-fresh outline-none' : 'outline-none'}>
        <FrozenPage>{children}</FrozenPage>
      </main>
      <Announcer />
    </>
  );
}
