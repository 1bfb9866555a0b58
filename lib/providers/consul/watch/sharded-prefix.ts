/**
 * Follows the keys below one configured prefix, as one root or as several.
 *
 *   whole --more rows than are read together--> parts and a bell
 *     ^------ a semaphore in a folder that is cut, a read that fails, few rows again, fewer polls, ------'
 *             or changes everywhere, where one read of the rows costs less than one of each part
 *
 * Known rows are handed over both ways, so that none seems to vanish or appear. Parts start at the index of the whole
 * that they are cut from.
 *
 * The bell is a blocking query for the names alone; a key outside of all parts gets its own part. The bell costs about
 * a fifth of reading the rows, so it rests long, and longer each time it rings for nothing. Its rest bounds how late
 * such a key shows.
 *
 * All parts share one account, so together they take no more of Consul's time than one root. Recovery belongs to the
 * whole.
 */
import { setMaxListeners } from 'node:events';
import type { Problem } from '@/lib/domain/problem';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Account } from '@/lib/providers/consul/client/duty-cycle';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { noteSame } from '@/lib/providers/consul/client/large-body';
import { worldBytesMaxDefault } from '@/lib/providers/consul/client/settings';
import type { Claim, SparePolls } from '@/lib/providers/consul/client/spare-polls';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { type Feeding, feed } from './feed';
import { type Bell, joined, keepRows, newBell, newRoot, type Reading, type Root, saysSame } from './readings';
import { rowPutBack } from './restore-detection';
import { cut, outside, type Part, tears, weightOf } from './shard-keys';
import { type AbsentTo, absentFrom, uncoversRow } from './uncovered-entries';

/** A prefix with more rows is read in parts, and whole again below half. */
export const splitRows = 500;
/**
 * Parts are cut until each has a sixteenth of all rows, or so few that a read costs little more than a wake-up. Each
 * part takes a connection, a blocking query and 17 kB.
 */
const partRowsMin = 128;
const partRowsEnough = 1_000;
const manyRows = 4_000;
const partsWanted = 16;
/** Most parts for up to `manyRows` rows. */
const partsOfFewMax = 30;
/** Fewer parts are not worth the bell. */
const partsMin = 4;
/** A root that cannot be cut is tried again after growing by this factor. */
const grown = 1.5;
/** Changed parts per second beyond which up to `manyRows` rows are read whole, as one read then costs less. */
const restless = { parts: 20, withinMs: 1_000, wholeForMs: 30_000 };
const bellRestFactor = 20;
/**
 * Milliseconds. It doubles each time the bell rings for nothing, and starts over after a new key or a quiet time
 * (`docs/decisions/0027`).
 */
const bellRestMs = { min: 60, max: 1_000 };
/** Pause after parts failed for a reason that is not their own. */
const againAfterMs = 30_000;

const anyNames: readonly string[] = ['names'];
const nothing: readonly string[] = [];

/** The part's name, or the right to list it, may be at fault instead of the agent. */
const ofPart = ({ code }: Problem) => code === 'forbidden' || code === 'invalid' || code === 'not-found';

const earlierIndex = (a: string | null, b: string | null) =>
  a === null || b === null ? null : BigInt(a) < BigInt(b) ? a : b;

/** Runs until aborted; rejects for a bug only. */
export function watchPrefix(
  feeding: Feeding,
  { prefix, spare, account }: { prefix: string; spare: SparePolls; account: Account },
  signal: AbortSignal,
): Promise<void> {
  const { readings, client, clock } = feeding;
  const running = new Map<Reading<unknown>, AbortController>();
  const triedAtRows = new WeakMap<Root, number>();
  let splitFromMs = 0;
  let changedAtMs: readonly number[] = [];
  let claim: Claim | null = null;
  /** For roots that are not read yet. */
  const absentTos = new WeakMap<Root, AbsentTo>();
  /** The index up to which every write of a key outside of all parts was read. */
  let outsideTo: string | null = null;

  const own = () => readings.roots.filter((root) => root.of === prefix);
  const bellOf = () => readings.bells.find((bell) => bell.of === prefix) ?? null;
  const isSplit = () => bellOf() !== null;
  const absentToOf = (root: Root): AbsentTo => {
    const { index } = root;
    return absentTos.get(root) ?? (() => index);
  };

  return new Promise<void>((resolve, reject) => {
    const run = (one: Reading<unknown>, start: (within: AbortSignal) => Promise<void>) => {
      const end = new AbortController();
      const within = AbortSignal.any([signal, end.signal]);
      setMaxListeners(0, within);
      running.set(one, end);
      start(within)
        .then(() => {
          running.delete(one);
          if (running.size > 0 || !signal.aborted) return;
          wantNone();
          resolve();
        })
        .catch(reject);
    };

    const read = async (root: Root, options: ReadOptions): Promise<Reply<readonly KvRow[]>> => {
      if (!root.exact) return client.list(root.prefix, { ...options, known: root.value ?? [] });
      const reply = await client.get(root.prefix, options);
      return { ...reply, value: reply.value === null ? [] : [reply.value] };
    };
    /** Throws if all rows together are too large. */
    const requireRoom = (root: Root, reply: Reply<readonly KvRow[]>) => {
      const others = readings.roots.filter((one) => one !== root).map(({ value }) => weightOf(value ?? []));
      const bytes = client.settings.worldBytesMax ?? worldBytesMaxDefault;
      if (others.reduce((sum, one) => sum + one, weightOf(reply.value)) <= bytes) return reply;
      const why = { code: 'world-too-large', facts: { bytes } } as const;
      throw new ConsulError({ code: 'unavailable', why }, 200, '');
    };

    const begin = (root: Root, from: string | null = null) => {
      let moved = false;
      run(root, (within) =>
        feed<readonly KvRow[]>(
          feeding,
          root,
          {
            from,
            account,
            vital: () => true,
            same: saysSame,
            read: async (options) => requireRoom(root, await read(root, options)),
            onReply: (reply) => {
              const { rows, locksChanged } = keepRows(root.value, reply.value);
              noteSame(reply.value, rows);
              if (within.aborted) return null;
              if (isSplit() && tears(root, rows)) {
                join();
                return null;
              }
              moved = rows !== root.value;
              readings.tick += 1;
              if (locksChanged) root.changedTick = readings.tick;
              return { ...reply, value: rows };
            },
            uncovers: (before, index, after) =>
              uncoversRow(before, after, absentTos.get(root) ?? (() => index)),
            onTaken: () => {
              absentTos.delete(root);
              resize(root, moved);
            },
            onRestored: (before, index, after) => {
              const proof = rowPutBack(before, index, after);
              if (proof !== null) feeding.putBack(proof);
            },
            onProblem: (problem) => (isSplit() ? joinFor(problem) : root),
          },
          within,
        ),
      );
    };

    const ring = (bell: Bell, from: string | null) => {
      let added: readonly Part[] | null = [];
      let comparedWith: readonly Root[] = [];
      let forNothing = 0;
      let rangAtMs = clock.now();
      const rang = () => {
        const waitedMs = clock.now() - rangAtMs;
        rangAtMs += waitedMs;
        forNothing = added?.length === 0 && waitedMs < 2 * bellRestMs.max ? forNothing + 1 : 0;
      };
      run(bell, (within) =>
        feed<readonly string[]>(
          feeding,
          bell,
          {
            from,
            restFactor: bellRestFactor,
            restAtLeastMs: () => Math.min(bellRestMs.max, bellRestMs.min * 2 ** forNothing),
            longRests: true,
            vital: () => true,
            same: (before, after) => before === after && added?.length === 0,
            // A reply stays in memory while the feed rests, so it has no names.
            read: async (options) => {
              const known = () => {
                comparedWith = readings.roots;
                return own();
              };
              const { value, ...reply } = await client.strays(prefix, known, options);
              added = outside(value.names, own());
              return { ...reply, value: value.any ? anyNames : nothing };
            },
            onReply: (reply) => {
              if (within.aborted) return null;
              rang();
              const room = claim?.room() ?? 0;
              // A part that was cut meanwhile may have left out a key.
              const isWhole = comparedWith === readings.roots;
              if (added !== null && added.length > 0 && own().length + added.length <= room) add(added);
              else if (added === null || added.length > 0) join();
              if (isWhole) outsideTo = reply.index;
              return within.aborted ? null : reply;
            },
            onProblem: (problem) => joinFor(problem) as Reading<readonly string[]> | null,
          },
          within,
        ),
      );
    };

    const replace = (isReplaced: (root: Root) => boolean, by: readonly Root[]) => {
      const gone = readings.roots.filter((root) => root.of === prefix && isReplaced(root));
      readings.roots = [...readings.roots.filter((root) => !gone.includes(root)), ...by].sort((a, b) =>
        a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : a.exact ? -1 : 1,
      );
      for (const root of gone) running.get(root)?.abort();
    };

    const join = (): Root => {
      const parts = own();
      const whole = newRoot({ prefix, of: prefix, exact: false }, joined(parts));
      const known = parts.map((part) => ({ part, absentTo: absentToOf(part) }));
      absentTos.set(whole, absentFrom(known, outsideTo));
      for (const bell of readings.bells) if (bell.of === prefix) running.get(bell)?.abort();
      readings.bells = readings.bells.filter((bell) => bell.of !== prefix);
      replace(() => true, [whole]);
      claim?.use(0);
      begin(whole);
      return whole;
    };

    const wantNone = () => {
      claim?.end();
      claim = null;
    };

    const joinFor = (problem: Problem): Root | null => {
      splitFromMs = ofPart(problem) ? Number.POSITIVE_INFINITY : clock.now() + againAfterMs;
      const whole = join();
      wantNone();
      return ofPart(problem) ? null : whole;
    };

    const add = (parts: readonly Part[]) => {
      const like = { current: true, value: [] };
      const roots = parts.map((part) => newRoot({ ...part, of: prefix }, like));
      const to = outsideTo;
      for (const root of roots) absentTos.set(root, () => to);
      replace(() => false, roots);
      claim?.use(own().length);
      for (const root of roots) begin(root);
    };

    const totalRows = () => own().reduce((sum, { value }) => sum + (value?.length ?? 0), 0);

    const split = (root: Root, rowsMax: number): void => {
      if (root.value === null || root.stale || clock.now() < splitFromMs) return;
      const tried = triedAtRows.get(root);
      if (tried !== undefined && root.value.length < tried * grown) return;
      claim ??= spare.claim(() => join());
      // The prefix has one poll of its own, and the bell takes another.
      const polls = totalRows() > manyRows ? claim.room() : Math.min(claim.room(), partsOfFewMax);
      const partsMax = polls - own().length + 1;
      if (!readings.roots.includes(root) || partsMax < (isSplit() ? 2 : partsMin)) return;
      const pieces = cut(root.value, root.prefix, { partsMax, rowsMax });
      if (pieces === null) {
        triedAtRows.set(root, root.value.length);
        return;
      }
      const { index, filtered } = root;
      const parts = pieces.map(({ rows, ...part }) =>
        newRoot({ ...part, of: prefix }, { ...root, value: rows }),
      );
      const first = !isSplit();
      // The pieces leave out absent keys of the root.
      outsideTo = first ? index : earlierIndex(outsideTo, index);
      replace((one) => one === root, parts);
      claim.use(own().length);
      for (const part of parts) begin(part, index);
      if (!first) return;
      const bell = newBell(prefix, {
        current: true,
        value: anyNames,
        filtered,
        index,
        takenTick: readings.tick,
      });
      readings.bells = [...readings.bells, bell];
      ring(bell, index);
    };

    /** Notes a changed part. True when one read of the whole is cheaper. */
    const isRestless = (): boolean => {
      const nowMs = clock.now();
      changedAtMs = [...changedAtMs, nowMs].slice(-restless.parts);
      const [oldestMs = nowMs] = changedAtMs;
      return changedAtMs.length === restless.parts && nowMs - oldestMs < restless.withinMs;
    };

    const resize = (root: Root, moved: boolean) => {
      const total = totalRows();
      const rows = root.value?.length ?? 0;
      const enough = total > manyRows ? partRowsEnough : partRowsMin;
      // Spare polls go to the parts that change.
      const isHot = moved && isSplit() && total > manyRows;
      const rowsMax = isHot ? enough : Math.max(enough, Math.ceil(total / partsWanted));
      if (isSplit() && total < splitRows / 2) {
        join();
        wantNone();
      } else if (isSplit() && total <= manyRows && isRestless()) {
        changedAtMs = [];
        splitFromMs = clock.now() + restless.wholeForMs;
        join();
        wantNone();
      } else if (rows > (isSplit() ? 2 * rowsMax : splitRows)) split(root, rowsMax);
    };

    // Parts left from an earlier period are read again as a whole.
    join();
  });
}
