'use client';
/**
 * An embedded page: the server's rendering, kept live. It reads one scope; it has no code that writes, and none of the
 * console's.
 */
import { clsx } from 'clsx';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useHydrated } from '@/components/dom/hydrated';
import { memoryOfAddress, renewUnseen } from '@/components/dom/reload-on-upgrade';
import { ClockProvider, StoppedClock } from '@/components/live/clock';
import { namesHolders } from '@/lib/domain/capabilities';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { EmbedView } from '@/lib/domain/sharing/grant';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import type { Language } from '@/lib/i18n/messages';
import { boardSentence } from '@/lib/i18n/sentences';
import { EmbedBoard } from './board';
import { type EmbedLink, followEmbed } from './follow';
import { Freshness, freshOf, isOldEmbed, OldNotice, shownAsOfMs } from './fresh';
import { EmbedName } from './name';
import { EmbedSubject, StateSentence } from './subject';
import { EmbedLanguage, useEmbedWords } from './words';

export interface EmbedProps {
  readonly view: EmbedView;
  /** Key or prefix. */
  readonly name: string;
  readonly initial: Snapshot;
  /** Rows of a board that are not in `initial`. */
  readonly unsent: number;
  /** The server's clock when it drew this. */
  readonly nowMs: number;
  readonly language: Language;
  readonly title: string | null;
  readonly compact: boolean;
  /** The grant shows the last 24 hours. */
  readonly history: boolean;
  /** The console's address for the same; `null`: not configured. */
  readonly consoleUrl: string | null;
}

export function EmbedRoot(props: EmbedProps) {
  return (
    <EmbedLanguage language={props.language}>
      <ClockProvider first={{ nowMs: props.nowMs, zone: 'UTC' }}>
        <Page {...props} />
      </ClockProvider>
    </EmbedLanguage>
  );
}

const sinceOf = (link: EmbedLink) => ('sinceMs' in link ? link.sinceMs : null);
const sameLink = (a: EmbedLink, b: EmbedLink) => a.state === b.state && sinceOf(a) === sinceOf(b);

function useEmbed(initial: Snapshot): { snapshot: Snapshot; link: EmbedLink } {
  const [snapshot, onSnapshot] = useState(initial);
  const [link, put] = useState<EmbedLink>({ state: 'first' });
  useEffect(() => {
    let state: EmbedLink['state'] = 'first';
    // The page changes only with news of the link.
    const onLink = (next: EmbedLink) => {
      state = next.state;
      put((now) => (sameLink(now, next) ? now : next));
    };
    let stay = () => {};
    const onOtherBuild = (build: string) => {
      stay();
      stay = renewUnseen(build, () => state === 'live', memoryOfAddress);
    };
    const end = followEmbed({ search: window.location.search, onSnapshot, onLink, onOtherBuild });
    return () => {
      stay();
      end();
    };
  }, []);
  return { snapshot, link };
}

function Page({ view, name, initial, unsent, title, compact, history, consoleUrl }: EmbedProps) {
  const { embed } = useEmbedWords();
  const { snapshot, link } = useEmbed(initial);
  const fresh = freshOf(link.state, snapshot.source);
  // Ticking ages would make old data look watched.
  const stoppedMs = isOldEmbed(fresh) ? (shownAsOfMs(snapshot, link) ?? snapshot.asOfMs) : null;
  return (
    <main className={clsx('flex min-h-dvh flex-col', compact ? 'gap-2 p-2.5' : 'gap-3 p-4')} data-view={view}>
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h1 className="min-w-0">
          {title === null ? (
            <EmbedName name={name === '' ? embed.title : name} large />
          ) : (
            <span className="wrap-anywhere font-semibold text-[15px]">{title}</span>
          )}
        </h1>
        <Freshness snapshot={snapshot} link={link} />
      </header>
      <OldNotice snapshot={snapshot} link={link} />
      <noscript>
        <p className="text-[13px] text-ink-soft">{embed.noScript}</p>
      </noscript>
      <StoppedClock atMs={stoppedMs}>
        <div className={clsx('flex flex-col', compact ? 'gap-2' : 'gap-3', isOldEmbed(fresh) && 'not-fresh')}>
          <Shown
            view={view}
            name={name}
            snapshot={snapshot}
            unsent={snapshot === initial ? unsent : 0}
            compact={compact}
          />
          {history && !isHidden(snapshot) ? (
            <History view={view} name={name} of={shownOf(snapshot, view, name)} />
          ) : null}
        </div>
      </StoppedClock>
      {consoleUrl === null ? null : (
        <p className="mt-auto text-[12px]">
          <a
            href={consoleUrl}
            target="_blank"
            rel="noopener noreferrer"
            className="text-brass-strong underline underline-offset-3"
          >
            {embed.openConsole}
            <span className="sr-only"> ({embed.newTab})</span>
          </a>
        </p>
      )}
    </main>
  );
}

/** True when a reader may see nothing of it. */
const isHidden = ({ source }: Snapshot) => !wasRead(source) || source.reach !== undefined;

const shownOf = (snapshot: Snapshot, view: EmbedView, name: string): Lock | Semaphore | undefined =>
  view === 'lock'
    ? snapshot.locks.find(({ key }) => key === name)
    : snapshot.semaphores.find(({ prefix }) => prefix === name);

/** The code and words load only for embeds with a history. */
const LazyHistory = lazy(() => import('./history'));

interface HistoryProps {
  readonly view: EmbedView;
  readonly name: string;
  /** `undefined`: it is not in view. */
  readonly of: Lock | Semaphore | undefined;
}

function History({ view, name, of }: HistoryProps) {
  const { sections } = useEmbedWords().embed;
  // The server draws none of it: its times are the reader's.
  const hydrated = useHydrated();
  return (
    <section className="min-h-36">
      <h2 className="mb-1 text-[12px] text-ink-dim">{sections.history}</h2>
      {hydrated ? (
        <Suspense fallback={null}>
          <LazyHistory
            name={name}
            named={of === undefined || namesHolders(of)}
            queues={view === 'semaphore'}
          />
        </Suspense>
      ) : null}
    </section>
  );
}

interface ShownProps {
  readonly view: EmbedView;
  readonly name: string;
  readonly snapshot: Snapshot;
  readonly unsent: number;
  readonly compact: boolean;
}

function Shown({ view, name, snapshot, unsent, compact }: ShownProps) {
  const words = useEmbedWords();
  const { notThere } = words.embed;
  const lead = clsx(
    'max-w-[62ch] text-pretty wrap-anywhere',
    compact ? 'text-[14px]' : 'text-[17px] leading-6',
  );
  if (!wasRead(snapshot.source)) return <p className={lead}>{notThere.unread}</p>;
  const { reach } = snapshot.source;
  const isNothing = snapshot.locks.length + snapshot.semaphores.length === 0;
  // Something may be hidden from the maker.
  if (reach !== undefined && isNothing)
    return (
      <p className={lead} data-reach={reach}>
        {words.embed.reach[reach]}
      </p>
    );
  if (view === 'board')
    return (
      <>
        {reach === undefined ? null : (
          <p className="text-[13px] text-ink-soft" data-reach={reach}>
            {words.embed.reach.part}
          </p>
        )}
        <p className={lead}>{boardSentence(snapshot, words).state}</p>
        <EmbedBoard snapshot={snapshot} unsent={unsent} compact={compact} />
      </>
    );
  const of = shownOf(snapshot, view, name);
  if (of === undefined) return <p className={lead}>{notThere[view]}</p>;
  return (
    <>
      <p className={clsx(lead, 'flex items-start gap-2.5')}>
        <span className="min-w-0">
          <StateSentence of={of} />
        </span>
      </p>
      <EmbedSubject of={of} findings={snapshot.findings} compact={compact} />
    </>
  );
}
