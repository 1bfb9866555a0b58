/**
 * Keeps an embed's snapshot equal to the server's, by a plain `EventSource`: a sandboxed frame has no workers to share
 * and no storage to keep anything in.
 *
 *   first --any event--> live --nothing for 8 s, or an error--> lost --backoff--> (the same again)
 *   lost --the link shows nothing any more--> over, for good
 *
 * A browser does not tell why a stream failed, so after a failure the snapshot is asked for once: its status tells. Where
 * there are too many readers for a stream, that keeps the page from growing old altogether.
 */
import { apply, type Patch } from '@/lib/domain/change';
import type { Snapshot } from '@/lib/domain/snapshot';

/** `sinceMs`: since when nothing was heard, by this browser's clock. */
export type Link =
  | { readonly state: 'first' | 'live' }
  | { readonly state: 'lost' | 'over'; readonly sinceMs: number };

export interface FollowOptions {
  /** The query of the page's own address: it holds the grant. */
  readonly search: string;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly onLink: (link: Link) => void;
}

/** The server sends a ping every 3 s. */
const silenceMaxMs = 8_000;
const retryMs = { min: 1_000, max: 15_000 };

/** Follows at once; call what it returns to end it. */
export function followEmbed({ search, onSnapshot, onLink }: FollowOptions): () => void {
  let source: EventSource | null = null;
  let snapshot: Snapshot | null = null;
  let failures = 0;
  let lostMs: number | null = null;
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
  const over = () => {
    end();
    onLink({ state: 'over', sinceMs: lostMs ?? Date.now() });
  };
  const lose = async () => {
    close();
    lostMs ??= Date.now();
    onLink({ state: 'lost', sinceMs: lostMs });
    const stepMs = Math.min(retryMs.max, retryMs.min * 2 ** Math.min(failures, 8));
    failures += 1;
    timer = setTimeout(connect, stepMs * (0.5 + Math.random() / 2));
    const answer = await fetch(`/embed/v1/snapshot${search}`, { credentials: 'omit' }).catch(() => null);
    if (ended || source !== null || answer === null) return;
    if (answer.status === 404) over();
    else if (answer.ok) {
      const read = (await answer.json().catch(() => null)) as Snapshot | null;
      if (read !== null && !ended && source === null) onSnapshot(read);
    }
  };
  const alive = () => {
    failures = 0;
    lostMs = null;
    clearTimeout(timer);
    timer = setTimeout(lose, silenceMaxMs);
    onLink({ state: 'live' });
  };

  function connect(): void {
    close();
    const opened = new EventSource(`/embed/v1/events${search}`);
    source = opened;
    const on = (name: string, listener: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        // A closed stream may still have events on their way.
        if (source === opened) listener(event as MessageEvent<string>);
      });
    on('snapshot', ({ data }) => {
      snapshot = JSON.parse(data) as Snapshot;
      onSnapshot(snapshot);
      alive();
    });
    const onPatch = ({ data }: MessageEvent<string>) => {
      const next = snapshot === null ? null : apply(snapshot, JSON.parse(data) as Patch);
      snapshot = next;
      // One was missed: a new stream begins with a whole snapshot.
      if (next === null) return connect();
      onSnapshot(next);
      alive();
    };
    on('patch', onPatch);
    on('status', onPatch);
    on('ping', alive);
    on('signed-out', over);
    on('error', lose);
    timer = setTimeout(lose, silenceMaxMs);
  }

  connect();
  return end;
}
