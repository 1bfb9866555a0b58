/** Follows the file through every outage. */
import { setTimeout as pause } from 'node:timers/promises';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceId } from '@/lib/domain/source';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { type Contents, readContents, stampOf } from './file';
import { createRecogniser, nextEndMs } from './world';

/** The time between two looks. A look reads the file only when its time, size or inode has changed. */
const lookMs = 200;
/** The time between two reports of a successful look. */
const contactMs = 1_000;

interface WatchOptions {
  readonly id: SourceId;
  readonly title: string;
  readonly path: string;
  readonly now: () => number;
}

interface Seen {
  readonly stamp: string;
  readonly contents: Contents;
}

/** The present contents, as the same object while the file is unchanged. */
async function look(path: string, seen: Seen | null): Promise<Seen | Problem> {
  const stamp = await stampOf(path);
  if (isProblem(stamp)) return stamp;
  if (seen?.stamp === stamp) return seen;
  const contents = await readContents(path);
  return isProblem(contents) ? contents : { stamp, contents };
}

/** Watches until the signal aborts, then resolves. */
export async function watchFile(
  { id, title, path, now }: WatchOptions,
  listener: ProviderListener,
  signal: AbortSignal,
): Promise<void> {
  const recognise = createRecogniser(id);
  let source = unreadSource({ id, title, provider: 'stand-in', origin: path });
  const publishSource = (change: Partial<SourceState>) => {
    source = { ...source, ...change };
    listener.source(source);
  };
  let seen: Seen | null = null;
  /** The instant at which the same file makes another world; `null`: never. */
  let endsMs: number | null = null;
  let publishedMs = Number.NEGATIVE_INFINITY;
  let goodMs: number | null = null;
  publishSource({});
  while (!signal.aborted) {
    const result = await look(path, seen);
    const atMs = now();
    if (signal.aborted) return;
    if (isProblem(result)) {
      seen = null;
      if (source.state !== 'down' || source.problem?.why?.code !== result.why?.code)
        publishSource({ state: 'down', lastContactMs: goodMs, staleSinceMs: goodMs, problem: result });
    } else {
      goodMs = atMs;
      if (result !== seen || (endsMs !== null && atMs >= endsMs)) {
        seen = result;
        endsMs = nextEndMs(result.contents, atMs);
        await listener.world(recognise(result.contents, atMs), atMs);
      }
      if (source.state !== 'live')
        publishSource({ state: 'live', lastContactMs: atMs, staleSinceMs: null, problem: null });
      if (atMs - publishedMs >= contactMs) {
        publishedMs = atMs;
        listener.contact?.(atMs);
      }
    }
    await pause(lookMs, undefined, { signal }).catch(() => {});
  }
}
