'use client';
import { clsx } from 'clsx';
import { usePathname } from 'next/navigation';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { Who } from '@/components/identity/who';
import { useAhead } from '@/components/live/first-part';
import { AsOf, FreshnessWords, useFreshness } from '@/components/live/freshness';
import { useFreeze } from '@/components/live/frozen';
import { createNeed } from '@/components/live/need';
import { useSight } from '@/components/live/unproven-absence';
import { Brand } from '@/components/marks/brand';
import { LanguageToggle } from '@/components/marks/language-toggle';
import { ThemeToggle } from '@/components/marks/theme-toggle';
import { isOld } from '@/lib/client/freshness';
import { useSnapshotPart } from '@/lib/client/page-data';
import { paths } from '@/lib/client/paths';
import { type Need, needOf } from '@/lib/domain/findings/need';
import { partsOf } from '@/lib/domain/source-state';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { cachesViews } from '@/lib/view/view-cache';
import { Legend } from './legend';
import { PaletteButton } from './palette-button';
import { Search } from './search';
import { TabTitle } from './tab-title';

/** The datacenters of all sources; `null`: none is known. */
const selectDatacenter = ({ source }: Snapshot) =>
  [...new Set(partsOf(source).flatMap(({ datacenter }) => datacenter ?? []))].join(', ') || null;
const selectRead = ({ source }: Snapshot) => wasRead(source);
const needAfter = createNeed();
const selectNeed = ({ findings }: Snapshot) => (cachesViews ? needAfter(findings) : needOf(findings));

/** One line where there is room, two or three where there is not. */
export function Header() {
  const { shell } = useMessages();
  const datacenter = useSnapshotPart(selectDatacenter);
  const known = useSnapshotPart(selectNeed);
  const need = useAhead()?.need ?? known;
  const old = isOld(useFreshness());
  // Beside the past, what is so now would be taken for what was so then.
  const isPast = useFreeze().pastMs !== null;
  const header = useRef<HTMLElement>(null);
  useHeight(header);
  return (
    <header ref={header} className="whole z-30 border-b border-line bg-panel md:sticky md:top-0">
      <TabTitle
        needs={isPast ? 0 : need.all}
        urgent={isPast ? 0 : need.now}
        stale={old && !isPast ? shell.freshness.tab : null}
      />
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 pb-1.5 sm:px-6 md:gap-y-1.5 md:pt-1.5 md:grid-cols-[auto_minmax(0,1fr)_auto_auto] md:gap-x-2.5 lg:gap-x-4 xl:grid-cols-[auto_auto_auto_minmax(6rem,34rem)_minmax(0,1fr)_auto_auto]">
        <Link
          href={paths.board()}
          className="flex min-h-8 min-w-0 max-w-full items-center gap-2.5 justify-self-start font-semibold tracking-[0.14em] lg:min-w-max"
        >
          <Brand old={old} />
          <span className="sr-only text-[13px] uppercase min-[27rem]:not-sr-only">{shell.brand}</span>
          <Datacenter name={datacenter} />
        </Link>
        <span className="order-3 col-span-2 flex min-w-0 md:order-1 md:col-span-1 xl:order-2 xl:min-w-max">
          <Nav />
        </span>
        <span className="flex items-center justify-self-end md:order-3 xl:order-7 xl:col-start-7">
          <PaletteButton />
          <Legend />
          <LanguageToggle />
          <ThemeToggle />
          <Who />
        </span>
        <span className="order-1 md:order-2 md:justify-self-end xl:order-3 xl:justify-self-start">
          {isPast ? null : <FreshnessWords />}
        </span>
        {isPast ? null : <NeedsHuman need={need} />}
        <span className="order-5 col-span-2 flex min-w-0 md:order-4 md:col-span-3 xl:order-4 xl:col-span-1">
          <Search />
        </span>
      </div>
    </header>
  );
}

/** The same width on every page, so that nothing beside it moves. */
function Datacenter({ name }: { name: string | null }) {
  const { shell } = useMessages();
  return (
    <span
      title={name ?? shell.datacenterUnknown}
      className="min-w-0 truncate pl-1 font-mono font-normal text-[13px] text-ink-soft tracking-normal md:hidden lg:inline lg:max-w-27 lg:shrink-0"
    >
      {name ?? (
        <>
          <span aria-hidden="true">{shell.datacenterShort}</span>
          <span className="sr-only">{shell.datacenterUnknown}</span>
        </>
      )}
    </span>
  );
}

/** Publishes the header's height, for elements that stick below it. */
function useHeight(header: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = header.current;
    if (element === null) return;
    const write = () =>
      document.documentElement.style.setProperty('--header-height', `${element.offsetHeight}px`);
    write();
    const observer = new ResizeObserver(write);
    observer.observe(element);
    return () => observer.disconnect();
  }, [header]);
}

function Nav() {
  const { shell } = useMessages();
  const { nav } = shell;
  const path = usePathname();
  const links = [
    { href: paths.board(), text: nav.board, here: ['/', '/lock', '/semaphore'].includes(path) },
    { href: paths.sessions(), text: nav.sessions, here: path.startsWith('/session') },
    { href: paths.findings(), text: nav.findings, here: path === '/findings' },
    { href: paths.graph(), text: nav.graph, here: path === '/graph' },
    { href: paths.history(), text: nav.history, here: path === '/history' },
    { href: paths.audit(), text: nav.audit, here: path === '/audit' },
    { href: paths.shares(), text: nav.shares, here: path === '/shares' },
  ];
  return (
    <nav
      aria-label={nav.label}
      className="-ml-1.5 flex min-w-0 items-center gap-0.5 overflow-x-auto [scrollbar-width:none] md:ml-0 xl:overflow-x-visible"
    >
      {links.map((link) => (
        <Link
          key={link.href}
          href={link.href}
          aria-current={link.here ? 'page' : undefined}
          className={clsx(
            'shrink-0 whitespace-nowrap rounded-[5px] px-1.5 py-1 text-[13px] max-md:min-w-[44px] max-md:text-center lg:px-2',
            link.here ? 'font-medium text-brass-strong' : 'text-ink-soft hover:bg-hover hover:text-ink',
          )}
        >
          {link.text}
        </Link>
      ))}
    </nav>
  );
}

/**
 * Red for urgent needs, amber for others; grey, with the time of the data, while that is old. The time stands above the
 * words, so that nothing gets wider.
 */
export function NeedsHuman({ need: { all, now } }: { need: Need }) {
  const { shell, colon } = useMessages();
  const old = isOld(useFreshness());
  // An unread world has no findings, and neither has one that may not be read.
  const unread = !useSnapshotPart(selectRead);
  const unseen = useSight() === 'nothing';
  return (
    <Link
      href={paths.findings()}
      className={clsx(
        'order-2 -mr-2 flex min-h-[44px] flex-col md:min-h-7 justify-center justify-self-end whitespace-nowrap rounded-[5px] px-2 text-[13px] leading-4 hover:bg-hover max-[22.25rem]:max-w-44 max-[22.25rem]:whitespace-normal max-[22.25rem]:text-right md:order-5 md:mr-0 xl:order-6 xl:col-start-6',
        old || all === 0 ? 'text-ink-dim' : now > 0 ? 'font-medium text-danger' : 'font-medium text-caution',
      )}
    >
      <span className="text-[11px] leading-3 empty:hidden">
        <AsOf brief />
      </span>
      <span>
        {all > 0 ? <span aria-hidden="true">{now > 0 ? '▲' : '△'} </span> : null}
        {unread || unseen ? shell.needsUnknown : shell.needsHuman(all)}
        {now > 0 ? <span className="sr-only">{`${colon}${shell.needsUrgent(now)}`}</span> : null}
      </span>
    </Link>
  );
}
