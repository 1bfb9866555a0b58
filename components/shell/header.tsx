'use client';
import { clsx } from 'clsx';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useMessages } from '@/components/locale';
import { paths } from '@/lib/client/paths';
import { useSnapshotPart } from '@/lib/client/queries';
import { needsHuman } from '@/lib/client/sentences';
import { subjectId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { FreshnessWords, isOld, useFreshness } from './freshness';
import { Legend } from './legend';
import { Search } from './search';
import { ThemeToggle } from './theme-toggle';

const selectDatacenter = (snapshot: Snapshot) => snapshot.source.datacenter;
/** Subjects, not findings: one semaphore with two troubles needs one human. Sessions are not on the board. */
const selectNeeds = (snapshot: Snapshot) =>
  new Set(
    snapshot.findings
      .filter((finding) => needsHuman(finding) && finding.subject.kind !== 'session')
      .map((finding) => subjectId(finding.subject)),
  ).size;

/** The frame on top of every page. */
export function Header() {
  const { shell } = useMessages();
  const datacenter = useSnapshotPart(selectDatacenter);
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-panel">
      <div className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-1.5 sm:px-6">
        <Link href={paths.board()} className="flex items-center gap-2.5 font-semibold tracking-[0.14em]">
          <Brand />
          <span className="text-[13px] uppercase">{shell.brand}</span>
        </Link>
        <span className="hidden font-mono text-[13px] text-ink-soft sm:inline">
          {shell.datacenter(datacenter)}
        </span>
        <Nav />
        <span className="order-2 ml-auto flex items-center sm:order-last sm:ml-0">
          <Legend />
          <ThemeToggle />
        </span>
        <span className="order-3 basis-full sm:hidden" />
        <span className="order-4 sm:order-none">
          <FreshnessWords />
        </span>
        <Search />
        <span className="hidden grow sm:block" />
        <NeedsHuman />
      </div>
    </header>
  );
}

function Brand() {
  const old = isOld(useFreshness());
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
      <circle cx="10" cy="10" r="8.6" fill="none" strokeWidth="1.8" className="stroke-brass" />
      <circle
        cx="10"
        cy="10"
        r="4.6"
        className={clsx('lamp-lit', old ? 'fill-danger text-danger' : 'fill-lamp-alive text-lamp-alive')}
      />
    </svg>
  );
}

function Nav() {
  const { nav } = useMessages().shell;
  const path = usePathname();
  const links = [
    { href: paths.board(), text: nav.board, here: ['/', '/lock', '/semaphore'].includes(path) },
    { href: paths.sessions(), text: nav.sessions, here: path.startsWith('/session') },
  ];
  return (
    <nav aria-label={nav.label} className="flex items-center gap-0.5">
      {links.map((link) => (
        <Link
          key={link.href}
          href={link.href}
          aria-current={link.here ? 'page' : undefined}
          className={clsx(
            'rounded-[5px] px-2 py-1 text-[13px]',
            link.here ? 'font-medium text-brass-strong' : 'text-ink-soft hover:bg-hover hover:text-ink',
          )}
        >
          {link.text}
        </Link>
      ))}
    </nav>
  );
}

function NeedsHuman() {
  const { shell } = useMessages();
  const n = useSnapshotPart(selectNeeds);
  return (
    <Link
      href={paths.boardNeedsHuman()}
      className={clsx(
        'order-5 ml-auto whitespace-nowrap rounded-[5px] px-2 py-1 text-[13px] hover:bg-hover sm:order-none sm:ml-0',
        n > 0 ? 'font-medium text-danger' : 'text-ink-dim',
      )}
    >
      {n > 0 ? <span aria-hidden="true">▲ </span> : null}
      {shell.needsHuman(n)}
    </Link>
  );
}
