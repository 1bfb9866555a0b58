/**
 * The one writer of the query cache: keeps the snapshot equal to the server's by the event stream.
 *
 *   connecting --snapshot or patches--> live --no ping for 8 s, or an error--> lost --backoff--> connecting
 *
 * A patch that does not join the version at hand means that one was missed: the stream is opened anew without an
 * id, which brings a whole snapshot. A page that stays hidden gives its connection back: a browser opens six to one
 * host over HTTP/1.1, and the seventh tab would hang.
 */
import type { QueryClient } from '@tanstack/react-query';
import { apply, type Patch } from '@/lib/domain/change';
import type { Snapshot } from '@/lib/domain/model';
import { type Connection, connectionQuery, snapshotQuery } from './queries';

/** The server sends a ping every 3 s. */
const silenceMaxMs = 8_000;
const retryMs = { min: 500, max: 8_000 };
/** Long enough to look something up in another tab and come back to a page that never stopped. */
const hiddenMaxMs = 60_000;

export interface LiveOptions {
  readonly client: QueryClient;
  /** For tests. */
  readonly open?: (url: string) => EventSource;
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Starts the stream; call what it returns to end it. */
export function startLive({
  client,
  open = (url) => new EventSource(url),
  now = Date.now,
  random = Math.random,
}: LiveOptions): () => void {
  let source: EventSource | null = null;
  let lastId: string | null = null;
  let failures = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  const become = (state: Connection['state']) =>
    client.setQueryData(connectionQuery.queryKey, (was) =>
      was?.state === state ? was : { state, sinceMs: now() },
    );

  const close = () => {
    clearTimeout(silence);
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const lose = () => {
    close();
    become('lost');
    const stepMs = Math.min(retryMs.max, retryMs.min * 2 ** Math.min(failures, 10));
    failures += 1;
    retry = setTimeout(connect, stepMs * (0.5 + random() / 2));
  };
  /** Something was heard: the stream is alive for as long as a few pings may be missing. */
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(lose, silenceMaxMs);
  };
  const current = () => {
    failures = 0;
    heard();
    become('live');
  };

  const onSnapshot = (event: MessageEvent<string>) => {
    lastId = event.lastEventId;
    client.setQueryData(snapshotQuery.queryKey, JSON.parse(event.data) as Snapshot);
    current();
  };
  const onPatch = (event: MessageEvent<string>) => {
    const before = client.getQueryData(snapshotQuery.queryKey);
    const after = before === undefined ? null : apply(before, JSON.parse(event.data) as Patch);
    if (after === null) {
      close();
      lastId = null;
      connect();
      return;
    }
    lastId = event.lastEventId;
    client.setQueryData(snapshotQuery.queryKey, after);
    current();
  };

  function connect(): void {
    close();
    const since = lastId === null ? '' : `?since=${encodeURIComponent(lastId)}`;
    const opened = open(`/api/v1/events${since}`);
    source = opened;
    const on = (name: string, listener: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        if (source === opened) listener(event as MessageEvent<string>);
      });
    on('snapshot', onSnapshot);
    on('patch', onPatch);
    on('status', onPatch);
    // After a resume without news the first ping says that the snapshot at hand is the current one.
    on('ping', current);
    on('error', lose);
    heard();
  }

  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden')
      hiding = setTimeout(() => {
        close();
        become('connecting');
      }, hiddenMaxMs);
    else if (source === null) {
      failures = 0;
      connect();
    }
  };
  const onOnline = () => {
    failures = 0;
    connect();
  };

  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', onOnline);
  connect();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', onOnline);
    clearTimeout(hiding);
    close();
  };
}
