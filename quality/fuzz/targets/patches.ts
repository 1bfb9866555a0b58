/** Possible events of a page's stream: patches and snapshots of any content, whole or broken. */
import fc from 'fast-check';
import { followStream } from '@/lib/client/stream';
import { readPatch } from '@/lib/client/validate-event';
import { firstSource, rowName } from '@/lib/domain/source';
import { apply, diff, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { patch as patchSchema, snapshot as snapshotSchema } from '@/lib/server/openapi/schema-world';
import { anyJson, mutatedText } from '@/quality/fuzz/bytes';
import { canonical, namesWhatDiffers } from '@/quality/fuzz/oracle';
import { shaped } from '@/quality/fuzz/shapes';
import { claim, target } from '@/quality/fuzz/target';

const tables = ['locks', 'semaphores', 'sessions', 'findings', 'renewals'] as const;
const nameOf = {
  locks: 'key',
  semaphores: 'prefix',
  sessions: 'id',
  findings: 'id',
  renewals: 'id',
} as const;

/** A source of events with the case's content. Errors of listeners reach the caller; in a browser they do not. */
class Spoken extends EventTarget {
  closed = false;
  readonly listeners = new Map<string, (event: Event) => void>();
  constructor(readonly url: string) {
    super();
  }
  override addEventListener(name: string, listener: unknown): void {
    this.listeners.set(name, listener as (event: Event) => void);
  }
  close(): void {
    this.closed = true;
  }
  say(name: string, data: string, lastEventId: string): void {
    this.listeners.get(name)?.(new MessageEvent(name, { data, lastEventId }));
  }
}

interface Said {
  readonly name: string;
  readonly data: string;
}

const text = (value: unknown) => JSON.stringify(value) ?? 'undefined';
const patches = shaped(patchSchema) as fc.Arbitrary<Patch>;
const joining = patches.map((patch) => ({ ...patch, from: 1, to: 2 }));
const snapshots = shaped(snapshotSchema) as fc.Arbitrary<Snapshot>;

/** One of two source ids for any text. */
const sourceFor = (text: unknown) => (String(text).length % 2 === 0 ? firstSource : 'jobs');

/** A valid first snapshot: sorted, each name of a source once, of version 1. Findings name their source in their id. */
const first = snapshots.map((any) => {
  const sorted = Object.fromEntries(
    tables.flatMap((table) => {
      const rows = any[table] as readonly Record<string, unknown>[] | undefined;
      if (rows === undefined) return [];
      const byName = new Map(
        rows.map((row) => {
          const name = String(row[nameOf[table]]);
          if (table === 'findings') return [name, row];
          const source = sourceFor(row.source);
          return [rowName(source, name), { ...row, source }];
        }),
      );
      return [[table, [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)]];
    }),
  );
  return { ...any, ...sorted, version: 1 } as Snapshot;
});

/** A successor of this world: some rows gone, some with a replaced member. */
const after = (whole: Snapshot): fc.Arbitrary<Snapshot> =>
  fc
    .record({
      gone: fc.array(fc.nat(), { maxLength: 1 }),
      swaps: fc.array(
        fc.record({
          row: fc.nat(),
          other: fc.nat(),
          member: fc.nat(),
          value: fc.option(anyJson, { nil: undefined, freq: 2 }),
        }),
        { maxLength: 6 },
      ),
    })
    .map(({ gone, swaps }) => {
      const changed = Object.fromEntries(
        tables.flatMap((table) => {
          const rows = [...(whole[table] ?? [])] as Record<string, unknown>[];
          for (const { row, other, member, value } of swaps) {
            const [one, two] = [rows[row % rows.length], rows[other % rows.length]];
            const names = Object.keys(one ?? {}).filter(
              (name) => name !== nameOf[table] && name !== 'source',
            );
            const name = names[member % names.length];
            if (one === undefined || two === undefined || name === undefined) continue;
            rows[row % rows.length] = { ...one, [name]: value === undefined ? two[name] : value };
          }
          const left = rows.filter((_, at) => !gone.some((place) => place === at));
          return whole[table] === undefined ? [] : [[table, left]];
        }),
      );
      return { ...whole, ...changed, version: 2 };
    });
const good = (whole: Snapshot) => after(whole).map((next) => diff(whole, next) ?? status);
const status: Patch = { from: 1, to: 2, asOfMs: 0, put: {}, edit: {}, remove: {} };

const broken = joining.chain((patch) => mutatedText([text(patch)]));
const saidTo = (whole: Snapshot): fc.Arbitrary<Said> =>
  fc.record({
    name: fc.constantFrom('patch', 'patch', 'status', 'snapshot', 'ping', 'signed-out'),
    data: fc.oneof(
      good(whole).map(text),
      good(whole).chain((patch) => mutatedText([text(patch)])),
      joining.map(text),
      patches.map(text),
      broken,
      anyJson.map(text),
      first.map(text),
      first.chain((whole) => mutatedText([text(whole)])),
      fc
        .tuple(joining, fc.constantFrom('from', 'to', 'put', 'edit', 'remove', 'source', 'asOfMs'), anyJson)
        .map(([patch, name, value]) => text({ ...patch, [name]: value })),
      fc
        .tuple(joining, fc.constantFrom(...tables), fc.constantFrom('put', 'edit', 'remove'), anyJson)
        .map(([patch, table, side, value]) => text({ ...patch, [side]: { [table]: value } })),
    ),
  });

/** The assumptions of every screen about a snapshot. */
function sound(snapshot: Snapshot): void {
  claim(Number.isSafeInteger(snapshot.version), 'a version that is no number');
  claim(typeof snapshot.source?.state === 'string', 'no source');
  for (const table of tables) {
    const rows = snapshot[table];
    if (rows === undefined && table === 'renewals') continue;
    claim(Array.isArray(rows), `${table} is no list`);
    const names = rows.map((row) => (row as unknown as Record<string, unknown> | null)?.[nameOf[table]]);
    claim(
      names.every((name) => typeof name === 'string'),
      `a row of ${table} without a name`,
    );
    const sources = rows.map((row) => (row as { source?: unknown }).source ?? firstSource);
    const whole = names.map((name, i) => JSON.stringify([table === 'findings' ? null : sources[i], name]));
    claim(new Set(whole).size === whole.length, `${table} names one twice`);
  }
}

function checkStream([start, events]: readonly [Snapshot, readonly Said[]]): void {
  const opened: Spoken[] = [];
  let state = '';
  let seen: Snapshot | null = null;
  const stream = followStream({
    onSnapshot: (snapshot) => {
      seen = snapshot;
    },
    onState: (next) => {
      state = next;
    },
    open: (url) => {
      const source = new Spoken(url);
      opened.push(source);
      return source as unknown as EventSource;
    },
    random: () => 0.5,
  });
  try {
    opened[0]?.say('snapshot', text(start), 'i-1');
    claim(seen !== null && state === 'live', 'a good snapshot was not taken');
    for (const { name, data } of events) {
      const source = opened.at(-1);
      const before: Snapshot = seen;
      source?.say(name, data, 'i-2');
      const now: Snapshot = seen;
      sound(now);
      if (now !== before || name === 'ping' || source?.closed) continue;
      claim(false, `${name} was neither taken nor did it lead to a new connection: ${data.slice(0, 200)}`);
    }
    const last = opened.at(-1);
    if (last !== opened[0] && last !== undefined && !last.closed)
      claim(!last.url.includes('since='), 'goes on from a version that it does not have');
  } finally {
    stream.pause();
  }
}

function checkPatch([whole, next]: readonly [Snapshot, Snapshot]): void {
  const patch = diff(whole, next);
  namesWhatDiffers(patch, whole, next);
  const got = patch === null ? whole : apply(whole, readPatch(text(patch)) ?? status);
  const plain = (of: Snapshot | null) => canonical(JSON.parse(text({ ...of, version: 0, asOfMs: 0 })));
  claim(plain(got) === plain(next), 'what a patch leads to is not the world');
}

export const patchTargets = [
  target({
    name: 'parts',
    guarantee: 'A patch carries every change of a world, and nothing else.',
    inputs: first.chain((whole) => fc.tuple(fc.constant(whole), after(whole))),
    check: checkPatch,
    share: 0.15,
  }),
  target({
    name: 'patches',
    guarantee:
      'Anything on the stream is a valid snapshot, or the stream reopens for a whole one; nothing throws, and nothing is skipped.',
    inputs: first.chain((whole) =>
      fc.tuple(fc.constant(whole), fc.array(saidTo(whole), { minLength: 1, maxLength: 3 })),
    ),
    check: checkStream,
    share: 0.15,
  }),
];
