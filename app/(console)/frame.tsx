import { headers } from 'next/headers';
import { connection } from 'next/server';
import type { Asked } from '@/components/board/asked';
import { type Opening, openingOf } from '@/components/board/opening';
import { earlyScript } from '@/components/early';
import { fetchForgiving } from '@/components/search/forgiving';
import { Console } from '@/components/shell/console';
import { Trouble } from '@/components/shell/trouble';
import { paths } from '@/lib/client/paths';
import { isProblem } from '@/lib/domain/problem';
import { type Snapshot, sourceNow } from '@/lib/domain/snapshot';
import { pageCaller } from '@/lib/server/identity/page-caller';
import { visitorOf } from '@/lib/server/identity/session';
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
  // What the source says by itself is of its last change, and the header would call that the time of what is live.
  const snapshot = { ...now, source: sourceNow(now, hub.contactMs) };
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <>
      <script nonce={nonce} suppressHydrationWarning>
        {earlyScript}
      </script>
      <Console
        opening={await openingFor(snapshot)}
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

/** Pages that show a part of the world by their own rules, and so get all of it. */
const needWhole = /^\/(lock|semaphore|sessions?|findings|graph)$/;

/** What the page at this address shows first. A frozen page keeps what it begins with, so that must be everything. */
async function openingFor(snapshot: Snapshot): Promise<Opening> {
  const address = new URL((await headers()).get('x-signalbox-address') ?? '/', 'http://console.invalid');
  const { pathname, searchParams } = address;
  if (needWhole.test(pathname) || searchParams.has('frozen')) return { snapshot, ahead: null };
  // A search finds here what it finds in the browser.
  await fetchForgiving();
  return openingOf(snapshot, pathname === paths.board() ? askedIn(searchParams) : null);
}

function askedIn(query: URLSearchParams): Asked {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}
