'use client';
/**
 * Puts the server-rendered snapshot into the live view and keeps it live while its person is signed in. At sign-out the
 * data is removed.
 */
import { usePathname, useSearchParams } from 'next/navigation';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { whenIdle } from '@/components/dom/lazy-part';
import { renewUnseen } from '@/components/dom/reload-on-upgrade';
import { forgetPlaces } from '@/components/dom/visits';
import { AheadContext } from '@/components/live/first-part';
import { useSessionState, useSessionWatch } from '@/components/live/session-root';
import { type Answers, AnswersContext } from '@/lib/client/answers';
import { type EndLive, fetchOwnStreamAhead, startLive } from '@/lib/client/live';
import { createLiveView, notConnected } from '@/lib/client/live-view';
import { InitialSnapshot, LiveContext } from '@/lib/client/page-data';
import { followOpenings, type Openings } from '@/lib/client/page-polling';
import type { Identity } from '@/lib/domain/identity';
import { emptied, wasRead } from '@/lib/domain/world/snapshot';
import type { Opening } from '@/lib/view/board/opening';

// A worker may fail while Signalbox is away.
whenIdle(fetchOwnStreamAhead);

/** While the stream is lost, how often to ask the server whether the sign-in is over. */
const askAgainMs = 5_000;

/** A world that was not read yet has an unknown size. */
const isAskedFor = ({ snapshot, ahead }: Opening) => ahead?.large != null || !wasRead(snapshot.source);

/** The inline scripts contain the server-rendered data too, and have run. */
function clearDocument(): void {
  for (const script of document.querySelectorAll('script:not([src])')) script.textContent = '';
}

/**
 * `opening`: the server's rendering, for hydration; later values are ignored, as the stream is then the only writer. A
 * world that is too large for a browser has no stream (`openings.ts`).
 */
export function LiveRoot({ opening, children }: { opening: Opening; children: ReactNode }) {
  const initial = opening.snapshot;
  const state = useSessionState();
  const watch = useSessionWatch();
  const signedIn = state.at === 'in';
  const [first, setFirst] = useState(initial);
  const [ahead, setAhead] = useState(opening.ahead);
  const [view] = useState(() => createLiveView(initial));
  const [answers] = useState<Answers>(() => ({ cache: null }));
  // The page's person never changes; another person gets another page.
  const [identity] = useState<Identity>(state.at === 'in' ? state.session.identity : state.was);
  const [asks, setAsks] = useState(() => isAskedFor(opening));
  const openings = useRef<Openings | null>(null);
  const show = useCallback(
    (next: Opening) => {
      const { snapshot } = next;
      // A server that has just started knows nothing yet: the old data stays, marked as old.
      if (!wasRead(snapshot.source)) {
        view.snapshot.set({ ...view.snapshot.get(), source: snapshot.source });
        return;
      }
      view.snapshot.set(snapshot);
      setFirst(snapshot);
      setAhead(next.ahead);
      setAsks(isAskedFor(next));
    },
    [view],
  );
  useEffect(() => {
    if (!signedIn || watch === null) return;
    let stay = () => {};
    const onOtherBuild = (build: string) => {
      stay();
      stay = renewUnseen(build, () => view.connection.get().state === 'live');
    };
    const follow = (): EndLive => {
      if (!asks) return startLive({ view, identity, onSignedOut: watch.end, onOtherBuild });
      const address = () => `${window.location.pathname}${window.location.search}`;
      openings.current = followOpenings<Opening>({ view, address, onOpening: show, onOtherBuild });
      return () => {
        openings.current?.end();
        openings.current = null;
      };
    };
    const end = follow();
    const connectionLost = () => view.connection.get().state === 'lost';
    const ask = setInterval(() => {
      if (document.visibilityState === 'visible' && connectionLost()) watch.look();
    }, askAgainMs);
    const unsubscribe = view.connection.subscribe(() => {
      if (connectionLost()) watch.look();
    });
    return () => {
      clearInterval(ask);
      unsubscribe();
      stay();
      const over = watch.state().at === 'out';
      end({ forget: over });
      if (!over) return;
      answers.cache?.clear();
      answers.cache = null;
      view.snapshot.set(emptied(view.snapshot.get()));
      view.connection.set(notConnected);
      setFirst(emptied);
      setAhead(null);
      clearDocument();
      forgetPlaces();
    };
  }, [view, answers, identity, watch, signedIn, asks, show]);
  return (
    <LiveContext value={view}>
      <InitialSnapshot value={first}>
        <AnswersContext value={answers}>
          <AheadContext value={ahead}>
            {asks ? <AddressWatch onAddress={() => openings.current?.ask()} /> : null}
            {children}
          </AheadContext>
        </AnswersContext>
      </InitialSnapshot>
    </LiveContext>
  );
}

function AddressWatch({ onAddress }: { onAddress: () => void }) {
  const address = `${usePathname()}?${useSearchParams()}`;
  const last = useRef(address);
  useEffect(() => {
    if (last.current === address) return;
    last.current = address;
    onAddress();
  });
  return null;
}
