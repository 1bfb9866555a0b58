import { headers } from 'next/headers';
import { connection } from 'next/server';
import { captureScript } from '@/components/dom/event-capture';
import { Console } from '@/components/shell/console';
import { Trouble } from '@/components/shell/trouble';
import { isProblem } from '@/lib/domain/problem';
import { sourceNow } from '@/lib/domain/world/snapshot';
import { visitorOf } from '@/lib/server/answers/session';
import { pageCaller } from '@/lib/server/entry/page-caller';
import { runtime } from '@/lib/server/runtime';
import { openingFor } from './opening-for';

/** Longest wait of the first paint for the first read of Consul. */
const firstReadMs = 1_500;

/** The hub's present knowledge; the stream keeps it live. */
export async function Frame({ children }: { children: React.ReactNode }) {
  // The build would render the page once, and every visitor would see that moment.
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
  // Right after a start a moment's wait beats an empty board that fills a blink later.
  await hub.ready(firstReadMs);
  const now = hub.snapshot();
  // Changed rights lead to another hub, whose versions are unrelated.
  const { base } = hub;
  // The source's own time is that of its last change, which the header would show as live.
  const snapshot = { ...now, source: sourceNow(now, hub.contactMs) };
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <>
      <script nonce={nonce} suppressHydrationWarning>
        {captureScript}
      </script>
      <Console
        opening={
          await openingFor(snapshot, base, {
            address: (await headers()).get('x-signalbox-address') ?? '/',
            rowsMax: env.pageRowsMax,
          })
        }
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
