/** `snapshot` and `events`, from a request to a response. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices } from '@/lib/domain/sliced-work';
import { sourceNow } from '@/lib/domain/world/snapshot';
import { requireSource } from '@/lib/server/http/known-source';
import type { AccessWatch } from '@/lib/server/identity/access-control';
import type { Caller } from '@/lib/server/identity/caller';
import type { PooledCredential } from '@/lib/server/identity/credential-pool';
import type { SignIns } from '@/lib/server/identity/sign-ins';
import { filterSnapshot, readFilter } from '@/lib/server/live/filter';
import { writingJson } from '@/lib/server/process/json';
import { wholeSnapshot } from '@/lib/server/stream/shared-answer';

/** The first reader after a start waits no longer, and gets "catching up". */
const firstWorldMs = 3_000;
const noStore = { 'cache-control': 'no-store' };

/** `GET /api/v1/snapshot?prefix=&kind=` */
export async function answerSnapshot(request: Request, { hub }: PooledCredential): Promise<Response> {
  const filter = readFilter(new URL(request.url).searchParams);
  await hub.ready(firstWorldMs);
  if (filter === null) return wholeSnapshot.answer(hub);
  const snapshot = hub.snapshot();
  requireSource(filter.source, snapshot.source);
  const current = { ...snapshot, source: sourceNow(snapshot, hub.contactMs) };
  const json = await runInSlices(writingJson(filterSnapshot(current, filter)), yieldToEventLoop);
  return new Response(json, { headers: { 'content-type': 'application/json', ...noStore } });
}

/** `GET /api/v1/events?prefix=&kind=&since=`; `since` replaces `Last-Event-ID`, which scripts cannot set. */
export async function answerEvents(
  request: Request,
  {
    viewpoint,
    signIn,
    by,
    accessControl: was,
    identity,
    address,
  }: Pick<Caller, 'viewpoint' | 'signIn' | 'by' | 'accessControl' | 'identity' | 'address'>,
  { signIns, accessWatch }: { readonly signIns: SignIns; readonly accessWatch: AccessWatch },
): Promise<Response> {
  const { hub, streams } = viewpoint;
  const query = new URL(request.url).searchParams;
  const filter = readFilter(query);
  // A page that was open during a restart must not see an empty world.
  await hub.ready(firstWorldMs);
  if (filter !== null) requireSource(filter.source, hub.snapshot().source);
  return streams.answer(
    {
      asker: { identity, address },
      filter,
      lastEventId: request.headers.get('last-event-id') ?? query.get('since'),
      signal: request.signal,
      // For a program's token, its viewpoint's heartbeat is enough.
      ...(signIn !== null
        ? { follow: (onEnd) => signIns.follow(signIn, onEnd) }
        : by === 'bearer'
          ? {}
          : { follow: (onEnd) => accessWatch.follow(was, onEnd) }),
    },
    request,
  );
}
