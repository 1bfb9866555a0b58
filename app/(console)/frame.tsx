import { headers } from 'next/headers';
import { connection } from 'next/server';
import type { Asked } from '@/components/board/asked';
import { earlyScript } from '@/components/early';
import { type Opening, openingOf, type Shows } from '@/components/opening';
import { fetchForgiving } from '@/components/search/forgiving';
import { Console } from '@/components/shell/console';
import { Trouble } from '@/components/shell/trouble';
import { paths, subjectAt } from '@/lib/client/paths';
import { isProblem } from '@/lib/domain/problem';
import { type Snapshot, sourceNow } from '@/lib/domain/snapshot';
import { pageCaller } from '@/lib/server/identity/page-caller';
import { visitorOf } from '@/lib/server/identity/session';
import { oncePerVersion } from '@/lib/server/once-per-version';
import { runtime } from '@/lib/server/runtime';

/** How long the first paint waits for the first read of Consul, before it says that it is still reading. */
const firstReadMs = 1_500;

/** The first paint of every page shows what the hub knows at this moment; the stream keeps it live from there. */
export async function Frame({ children }: { children: React.ReactNode }) {
  // Without this the build would render the page once, and every visitor would see the world of that moment.
  await connection();
  const { env } = runtime();
  const caller = await pageCaller();
  if (isProblem(caller))
    return (
      <main id="content">
        <Trouble problem={caller} />
      </main>
    );
  const { hub } = caller.viewpoint;
  // Right after a start the first read is under way: a moment's wait beats an empty board that fills a blink later.
  await hub.ready(firstReadMs);
  const now = hub.snapshot();
  // Rights that change meanwhile lead to another hub, whose versions say nothing of this one's.
  const { base } = hub;
  // What the source says by itself is of its last change, and the header would call that the time of what is live.
  const snapshot = { ...now, source: sourceNow(now, hub.contactMs) };
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <>
      <script nonce={nonce} suppressHydrationWarning>
        {earlyScript}
      </script>
      <Console
        opening={await openingFor(snapshot, base)}
        first={{
          nowMs: Math.floor(Date.now() / 1000) * 1000,
          zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        }}
        session={visitorOf(caller)}
        demo={env.demo}
      >
        {children}
      </Console>
    </>
  );
}

const once = oncePerVersion<Opening>();

/** What the page at this address shows first. `base`: the hub that numbers the snapshot. */
async function openingFor(snapshot: Snapshot, base: object): Promise<Opening> {
  const name = (await headers()).get('x-signalbox-address') ?? '/';
  const shows = showsAt(new URL(name, 'http://console.invalid'));
  // A search finds here what it finds in the browser.
  if (shows.what === 'board') await fetchForgiving();
  const { version, asOfMs, source } = snapshot;
  const { snapshot: shown, ahead } = once({ base, version, name }, () => openingOf(snapshot, shows));
  return { snapshot: { ...shown, asOfMs, source }, ahead };
}

function showsAt({ pathname, searchParams: query }: URL): Shows {
  // A frozen page keeps all of a moment.
  if (query.has('frozen')) return { what: 'all' };
  if (pathname === paths.board()) return { what: 'board', asked: askedIn(query) };
  if (pathname === paths.findings()) return { what: 'findings' };
  if (pathname === paths.sessions() || pathname === paths.graph()) return { what: 'all' };
  const subject = subjectAt(pathname, query);
  return subject === null ? { what: 'nothing' } : { what: 'subject', subject };
}

function askedIn(query: URLSearchParams): Asked {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}
