/**
 * Keeps an embed's snapshot equal to the server's, by a plain `EventSource`: a sandboxed frame has no shared workers
 * and no storage.
 *
 *   first --any event--> live --nothing for 8 s, or an error--> lost --backoff--> (the same again)
 *   lost --the link shows nothing any more--> over --every 30 s, it shows something again--> live
 *
 * A paused share link can be resumed, so an open page keeps asking, slowly. An ended signed token has ended for good.
 *
 * A page that slept may read old events before it notices the silence, so it asks again for late ones.
 *
 * A browser does not report why a stream failed, so the page asks for the snapshot once, whose status gives the reason.
 * Where there are too many readers for a stream, that also keeps the page from growing old.
 */
import { serverClock } from '@/lib/client/server-clock';
import { silenceMaxMs } from '@/lib/client/silence';
import { pingContact, pingTime, readPatch, readSnapshot } from '@/lib/client/validate-event';
import { otherBuilds } from '@/lib/domain/build';
import { apply } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

/**
 * The link's state. `contactMs`: the backend's last answer. `sinceMs`: the start of the silence. Both by the server's
 * clock.
 */
export type EmbedLink =
  | { readonly state: 'first' }
  | { readonly state: 'live'; readonly contactMs: number | null }
  | { readonly state: 'lost'; readonly sinceMs: number }
  | { readonly state: 'over'; readonly sinceMs: number; readonly why: OverWhy };

/** The reason why it shows nothing new. `plain`: none is given. */
export type OverWhy = 'plain' | 'maker-gone' | 'narrow';

export interface FollowOptions {
  /** The page's own query, which holds the grant. */
  readonly search: string;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly onLink: (link: EmbedLink) => void;
  /** The server's build differs from this code's. */
  readonly onOtherBuild: (name: string) => void;
}

const overWhy = (data: string): OverWhy =>
  (/"code":"grant-(maker-gone|server-narrow)"/.exec(data)?.[1]?.replace('server-', '') as OverWhy) ?? 'plain';
const retryMs = { min: 1_000, max: 15_000 };
/** The pause between looks for a link that is back. */
const againMs = 30_000;

/** Follows at once; call what it returns to end it. */
export function followEmbed({ search, onSnapshot, onLink, onOtherBuild }: FollowOptions): () => void {
  let source: EventSource | null = null;
  let snapshot: Snapshot | null = null;
  let failures = 0;
  /** The last contact by the server's clock. The page itself was heard first. */
  let lastMessageMs = serverClock.now();
  /** The deadline by the browser's clock, which advances while its timers sleep. */
  let dueMs = Number.POSITIVE_INFINITY;
  const hearBuild = otherBuilds(onOtherBuild);
  let lostMs: number | null = null;
  let contactMs: number | null = null;
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const end = () => {
    close();
    ended = true;
  };
  const wait = () => {
    clearTimeout(timer);
    dueMs = Date.now() + silenceMaxMs;
    timer = setTimeout(lose, silenceMaxMs);
  };
  const read = () => fetch(`/embed/v1/snapshot${search}`, { credentials: 'omit' }).catch(() => null);
  const over = (why: OverWhy = 'plain') => {
    close();
    lostMs ??= lastMessageMs;
    onLink({ state: 'over', sinceMs: lostMs, why });
    // An ended signed token is over for good; a missing right of the server may return for any grant.
    if (new URLSearchParams(search).has('share') || why === 'narrow') timer = setTimeout(lookAgain, againMs);
  };
  const lookAgain = async () => {
    const answer = await read();
    if (ended || source !== null) return;
    if (answer?.ok) connect();
    else timer = setTimeout(lookAgain, againMs);
  };
  const lose = async () => {
    close();
    lostMs ??= lastMessageMs;
    onLink({ state: 'lost', sinceMs: lostMs });
    const stepMs = Math.min(retryMs.max, retryMs.min * 2 ** Math.min(failures, 8));
    failures += 1;
    timer = setTimeout(connect, stepMs * (0.5 + Math.random() / 2));
    const askedMs = serverClock.now();
    const answer = await read();
    if (ended || source !== null || answer === null) return;
    if (answer.status === 404) over();
    else if (answer.ok) {
      const whole = (await answer.json().catch(() => null)) as Snapshot | null;
      if (whole === null || ended || source !== null) return;
      lastMessageMs = lostMs = askedMs;
      onLink({ state: 'lost', sinceMs: lostMs });
      onSnapshot(whole);
    }
  };
  const alive = (atMs = serverClock.now()) => {
    failures = 0;
    lostMs = null;
    lastMessageMs = atMs;
    wait();
    onLink({ state: 'live', contactMs });
  };

  function connect(): void {
    close();
    const opened = new EventSource(`/embed/v1/events${search}`);
    source = opened;
    const on = (name: string, listener: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        // A closed stream may still have events on their way.
        if (source !== opened) return;
        if (Date.now() > dueMs && name !== 'signed-out') void lose();
        else listener(event as MessageEvent<string>);
      });
    // An event that is not sound is a loss, never skipped: pings would call an old world live.
    on('snapshot', ({ data }) => {
      snapshot = readSnapshot(data);
      if (snapshot === null) return void lose();
      onSnapshot(snapshot);
      alive();
    });
    const onPatch = ({ data }: MessageEvent<string>) => {
      const patch = readPatch(data);
      const next = snapshot === null || patch === null ? null : apply(snapshot, patch);
      const missed = patch !== null && patch.from !== snapshot?.version;
      snapshot = next;
      if (next !== null) {
        onSnapshot(next);
        alive();
      } else if (missed) connect();
      else void lose();
    };
    on('patch', onPatch);
    on('status', onPatch);
    on('ping', ({ data }) => {
      const atMs = pingTime(data);
      if (atMs !== null) serverClock.hear(atMs);
      contactMs = pingContact(data);
      alive(atMs ?? undefined);
      hearBuild(data);
    });
    on('signed-out', ({ data }) => over(overWhy(data)));
    on('error', lose);
    wait();
  }

  connect();
  return end;
}
