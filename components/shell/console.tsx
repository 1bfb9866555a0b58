'use client';
/** The frame of the console, and the state that pages share. */
import { usePathname, useSearchParams } from 'next/navigation';
import { Suspense, useState } from 'react';
import { ActionProvider } from '@/components/actions/action-provider';
import { useReplay } from '@/components/dom/event-replay';
import { lazyPart, useIdleLoading } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { Out } from '@/components/identity/out';
import { ClockProvider } from '@/components/live/clock';
import { useAhead } from '@/components/live/first-part';
import { FreezeBand, FreezeProvider, FrozenPage } from '@/components/live/freeze';
import { useFreshness } from '@/components/live/freshness';
import { useFreeze, useFrozen } from '@/components/live/frozen';
import { LiveRoot } from '@/components/live/live-root';
import { SessionRoot, useSessionState } from '@/components/live/session-root';
import { SourcesRoot } from '@/components/live/sources-root';
import { PastPlace } from '@/components/past/past-place';
import { isOld } from '@/lib/client/freshness';
import { useConnection, useContactMs, useSnapshotPart } from '@/lib/client/page-data';
import { pageOf } from '@/lib/client/paths';
import type { Visitor } from '@/lib/domain/visitor';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Opening } from '@/lib/view/board/opening';
import { useFocusKept } from './focus-kept';
import { Header } from './header';
import { OutageBanner } from './outage-banner';
import { OwnSight } from './own-sight';
import { SkipLinks } from './skip-links';

interface ConsoleProps {
  /** The server's snapshot, or its first part, for the first paint. */
  readonly opening: Opening;
  /** The server's clock and time zone, for the first paint. */
  readonly first: { readonly nowMs: number; readonly zone: string };
  /** The visitor as the server knows them, and their permissions. */
  readonly session: Visitor;
  /** True when the locks are those of the demo world. */
  readonly demo: boolean;
  readonly children: React.ReactNode;
}

export function Console({ opening, first, session, demo, children }: ConsoleProps) {
  return (
    <ClockProvider first={first}>
      <SessionRoot initial={session}>
        <LiveRoot opening={opening}>
          <Guarded>
            <FreezeProvider>
              <Frame demo={demo}>{children}</Frame>
            </FreezeProvider>
          </Guarded>
        </LiveRoot>
      </SessionRoot>
    </ClockProvider>
  );
}

/** The announcer is not in the first script, because it has nothing to say in the page's first seconds. */
const announcer = lazyPart(async () => (await import('./announcer')).Announcer);

const selectAsOf = (snapshot: Snapshot) => snapshot.source.lastContactMs ?? snapshot.asOfMs;
const selectDatacenter = (snapshot: Snapshot) => snapshot.source.datacenter;

/** The page while its person is signed in, and then the notice. */
function Guarded({ children }: { children: React.ReactNode }) {
  const state = useSessionState();
  const datacenter = useSnapshotPart(selectDatacenter);
  if (state.at === 'out')
    return (
      <ActionProvider
        actionsOff={null}
        instead={(open) => <Out out={state} datacenter={datacenter} open={open} />}
      >
        {null}
      </ActionProvider>
    );
  const { writes } = state.session;
  return <ActionProvider actionsOff={writes.allowed ? null : writes.reason}>{children}</ActionProvider>;
}

function Frame({ demo, children }: { demo: boolean; children: React.ReactNode }) {
  const { shell } = useMessages();
  const old = isOld(useFreshness());
  const { pastMs } = useFreeze();
  const Announcer = announcer.usePart();
  useReplay('frame');
  useFocusKept(pastMs !== null);
  // The loading waits until the page is live, because it would delay the content.
  useIdleLoading(useConnection().state === 'live');
  return (
    <>
      <SkipLinks />
      <Header />
      <aside aria-label={shell.banner.label}>
        {demo ? (
          <p className="border-line border-b bg-brass-wash px-4 py-1.5 text-[13px] text-ink-soft sm:px-6">
            {shell.demo}
          </p>
        ) : null}
        <OwnSight />
        <OutageBanner />
      </aside>
      <FreezeBand />
      {pastMs === null ? (
        <main id="content" tabIndex={-1} className={old ? 'not-fresh outline-none' : 'outline-none'}>
          <FrozenPage>
            <SourcesRoot>
              <Known>{children}</Known>
            </SourcesRoot>
          </FrozenPage>
        </main>
      ) : (
        <main id="content" tabIndex={-1} className="outline-none">
          <PastPlace atMs={pastMs} />
        </main>
      )}
      {pastMs === null ? <PrintedTime /> : null}
      {/* Present news was none at the past instant. */}
      {Announcer === null || pastMs !== null ? null : <Announcer />}
    </>
  );
}

/**
 * The first page is in the document, unless it cannot show a part. Behind a placeholder, a reload could not restore its
 * scroll. Later pages wait for the whole world, because they would take missing rows for absent ones.
 */
function Known({ children }: { children: React.ReactNode }) {
  const ahead = useAhead();
  const path = usePathname();
  const page = pageOf(path, useSearchParams());
  const [first, setFirst] = useState<string | null>(path);
  const large = ahead?.large ?? null;
  if (ahead !== null && large !== null) {
    // The rows here are another page's part.
    if (large.page !== page) return <Loading />;
    return ahead.waits ? <TooLarge rows={large.rows} /> : children;
  }
  if (path === first) return ahead?.waits ? <Loading /> : children;
  if (first !== null) setFirst(null);
  if (ahead !== null) return <Loading />;
  // The next page's code and document may still be on their way.
  return (
    <Suspense key={path} fallback={<Loading />}>
      {children}
    </Suspense>
  );
}

/** The time at the foot of every printed sheet, where browsers repeat fixed elements. */
function PrintedTime() {
  const { asOf } = useMessages().shell.freshness;
  const frozen = useFrozen();
  const contactMs = useContactMs() ?? 0;
  const asOfMs = useSnapshotPart(selectAsOf);
  // Later contacts say nothing of a frozen page.
  const readMs =
    frozen === null ? Math.max(contactMs, asOfMs) : Math.min(frozen.takenMs, selectAsOf(frozen.snapshot));
  return (
    <p aria-hidden="true" className="fixed bottom-0 left-0 hidden bg-room px-4 text-[12px] print:block">
      {asOf[0]}
      {new Date(readMs).toISOString()}
    </p>
  );
}

function TooLarge({ rows }: { rows: number }) {
  return (
    <p role="status" className="max-w-[70ch] px-4 py-8 text-[15px] text-ink-soft sm:px-6">
      {useMessages().shell.tooLarge(rows)}
    </p>
  );
}

function Loading() {
  return (
    <p role="status" className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">
      {useMessages().shell.loading}
    </p>
  );
}
