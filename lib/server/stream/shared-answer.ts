/**
 * Large answers that all viewers of a hub share. Each is made once for each version, in slices, so that no other answer
 * waits.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices } from '@/lib/domain/sliced-work';
import type { SourceState } from '@/lib/domain/source-state';
import { type Snapshot, sourceNow } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { writingJson } from '@/lib/server/process/json';

export type Tables = Readonly<Record<string, readonly unknown[] | undefined>>;

/** An unused answer is dropped after this time. */
const keptMs = 10_000;
const chunkBytes = 256 * 1024;

/** `head` and then the rows, as the text of one JSON object. */
export async function jsonOf(head: object, rows: Promise<Uint8Array>): Promise<Uint8Array> {
  const start = JSON.stringify(head).slice(0, -1);
  return Buffer.concat([Buffer.from(`${start},`), await rows, Buffer.from('}')]);
}

/** The tables as the members of a JSON object, without its braces. */
async function rowsOf(tables: Tables): Promise<Uint8Array> {
  const object = await runInSlices(writingJson(tables), yieldToEventLoop);
  return object.subarray(1, -1);
}

interface Made {
  readonly version: number;
  readonly rows: Promise<Uint8Array>;
  /** The last head, and the whole answer with it. */
  head: string;
  whole: Promise<Uint8Array> | null;
  forget: ReturnType<typeof setTimeout>;
}

type Base = Pick<Hub, 'apart'>;

export interface Whole {
  /** The tables of this snapshot as text. `base`: the hub that numbers it. */
  rows(base: Base, snapshot: Snapshot): Promise<Uint8Array>;
  answer(hub: Pick<Hub, 'snapshot' | 'contactMs'> & { readonly base: Base }): Promise<Response>;
}

/** `head`: the members before the tables, with the present source. */
export function createWhole(
  tablesOf: (snapshot: Snapshot) => Tables,
  head: (snapshot: Snapshot, source: SourceState) => object = headOf,
): Whole {
  const known = new WeakMap<Base, Made>();
  const entryOf = (base: Base, snapshot: Snapshot): Made => {
    const before = known.get(base);
    if (before?.version === snapshot.version) {
      before.forget.refresh();
      return before;
    }
    if (before !== undefined) clearTimeout(before.forget);
    const entry: Made = {
      version: snapshot.version,
      rows: rowsOf(tablesOf(snapshot)),
      head: '',
      whole: null,
      forget: setTimeout(() => known.delete(base), keptMs).unref(),
    };
    known.set(base, entry);
    entry.rows.catch(() => known.delete(base));
    return entry;
  };
  const wholeOf = (entry: Made, before: object): Promise<Uint8Array> => {
    const text = JSON.stringify(before);
    // The head has a time, which changes without the rows.
    if (entry.head !== text) entry.whole = null;
    entry.head = text;
    entry.whole ??= jsonOf(before, entry.rows);
    return entry.whole;
  };
  return {
    rows: (base, snapshot) => base.apart(() => entryOf(base, snapshot).rows),
    answer: async (hub) => {
      const { base } = hub;
      const snapshot = hub.snapshot();
      const before = head(snapshot, sourceNow(snapshot, hub.contactMs));
      // Runs outside the request: a cached answer would keep the first request in memory, with its token.
      return answerOf(await base.apart(() => wholeOf(entryOf(base, snapshot), before)));
    },
  };
}

/** A snapshot without its tables. */
export const headOf = ({ version, asOfMs, source, scope }: Snapshot, now = source) => ({
  version,
  asOfMs,
  source: now,
  ...(scope === undefined ? {} : { scope }),
});

/** Slices of one buffer, so that a slow reader keeps no copy. */
function answerOf(bytes: Uint8Array): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        controller.enqueue(bytes.subarray(at, at + chunkBytes));
        at += chunkBytes;
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

const tablesOf = ({ locks, semaphores, sessions, renewals, findings }: Snapshot) => ({
  locks,
  semaphores,
  sessions,
  renewals,
  findings,
});

export const wholeSnapshot = createWhole(tablesOf);
