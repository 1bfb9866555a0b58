/**
 * Large answers that are the same for all who may see a hub: made once for each version, however many ask, and in slices, so that
 * no other answer waits for one.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Snapshot, sourceNow } from '@/lib/domain/snapshot';
import { inSlices } from '@/lib/domain/steps';
import type { Hub } from '@/lib/server/hub';
import { writingJson } from '@/lib/server/json';
import { type Encoding, encodingFor } from './encoding';

/** Rows by the name of their table. */
export type Tables = Readonly<Record<string, readonly unknown[] | undefined>>;

/** What nobody asked for in this time is forgotten. */
const keptMs = 10_000;
const chunkBytes = 256 * 1024;
const compressed = promisify(gzip) as (bytes: Uint8Array, options: object) => Promise<Buffer>;

/** `head` and then the rows, as the text of one JSON object. */
export async function jsonOf(head: object, rows: Promise<Uint8Array>): Promise<Uint8Array> {
  const start = JSON.stringify(head).slice(0, -1);
  return Buffer.concat([Buffer.from(`${start},`), await rows, Buffer.from('}')]);
}

/** The tables as the members of a JSON object, without its braces. */
async function rowsOf(tables: Tables): Promise<Uint8Array> {
  const object = await inSlices(writingJson(tables), breathe);
  return object.subarray(1, -1);
}

interface Made {
  readonly version: number;
  readonly rows: Promise<Uint8Array>;
  /** What stands before the rows and how they are sent, and the whole of it. */
  head: string;
  readonly wholes: Map<Encoding, Promise<Uint8Array>>;
  forget: ReturnType<typeof setTimeout>;
}

export interface Whole {
  /** The tables of this snapshot as text. `base`: the hub that numbers it. */
  rows(base: object, snapshot: Snapshot): Promise<Uint8Array>;
  /** The answer to a request for all of it. */
  answer(
    hub: Pick<Hub, 'base' | 'snapshot' | 'contactMs'>,
    request: Pick<Request, 'headers'>,
  ): Promise<Response>;
}

export function createWhole(tablesOf: (snapshot: Snapshot) => Tables): Whole {
  const known = new WeakMap<object, Made>();
  const madeOf = (base: object, snapshot: Snapshot): Made => {
    const before = known.get(base);
    if (before?.version === snapshot.version) {
      before.forget.refresh();
      return before;
    }
    if (before !== undefined) clearTimeout(before.forget);
    const made: Made = {
      version: snapshot.version,
      rows: rowsOf(tablesOf(snapshot)),
      head: '',
      wholes: new Map(),
      forget: setTimeout(() => known.delete(base), keptMs).unref(),
    };
    known.set(base, made);
    made.rows.catch(() => known.delete(base));
    return made;
  };
  return {
    rows: (base, snapshot) => madeOf(base, snapshot).rows,
    answer: async (hub, { headers }) => {
      const snapshot = hub.snapshot();
      const head = headOf(snapshot, sourceNow(snapshot, hub.contactMs));
      const made = madeOf(hub.base, snapshot);
      const text = JSON.stringify(head);
      // The time moves on where nothing else does.
      if (made.head !== text) made.wholes.clear();
      made.head = text;
      const encoding = encodingFor(headers.get('accept-encoding'));
      const plain = made.wholes.get('identity') ?? jsonOf(head, made.rows);
      made.wholes.set('identity', plain);
      const bytes =
        encoding === 'identity'
          ? plain
          : (made.wholes.get(encoding) ?? plain.then((whole) => compressed(whole, { level: 3 })));
      made.wholes.set(encoding, bytes);
      return answerOf(await bytes, encoding);
    },
  };
}

/** All of a snapshot but its tables. */
export const headOf = ({ version, asOfMs, source, scope }: Snapshot, now = source) => ({
  version,
  asOfMs,
  source: now,
  ...(scope === undefined ? {} : { scope }),
});

/** Shared by all who read it, so that a slow reader keeps no copy. */
function answerOf(bytes: Uint8Array, encoding: Encoding): Response {
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
    headers: {
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      vary: 'accept-encoding',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  });
}

const tablesOf = ({ locks, semaphores, sessions, renewals, findings }: Snapshot) => ({
  locks,
  semaphores,
  sessions,
  renewals,
  findings,
});

/** Of `GET /api/v1/snapshot`, and of the streams. */
export const wholeSnapshot = createWhole(tablesOf);
