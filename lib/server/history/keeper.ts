/**
 * Keeps the history: follows the server's own view, and writes the rows that the recorder derives.
 *
 *   hub --steps--> recorder --rows--> queue --batches--> store
 *
 * The live path never waits for the store. While the store is slow, rows of one id replace each other in the queue.
 * When the queue is full, the keeper begins again as after a restart, and records the time between as a gap.
 */
import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Deed } from '@/lib/domain/history/deeds';
import type { HistoryRow } from '@/lib/domain/history/episode';
import { type Changed, Recorder, type Resumed } from '@/lib/domain/history/record/recorder';
import { partsOfName } from '@/lib/domain/source';
import type { WorldStep } from '@/lib/domain/world/change';
import { editedName, removedIn } from '@/lib/domain/world/row-names';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Audit } from '@/lib/server/audit/audit';
import type { Hub } from '@/lib/server/live/hub';
import { errorFields, type Log } from '@/lib/server/process/log';
import { createDeeds } from './deeds-of-audit';
import { type HistoryLog, NotWriter } from './history-log';
import type { Retention } from './retention';
import { orderedId } from './rows';
import { watchSleep } from './sleep';

export interface KeeperState {
  /** `recording`: this replica writes. `elsewhere`: another replica writes. `away`: the store does not answer. */
  readonly state: 'recording' | 'elsewhere' | 'away';
  /** The instant since which nothing is kept; `null`: it is kept. */
  readonly awaySinceMs: number | null;
}

/** What an answer says of the recording. */
export interface Recording {
  /** `null`: switched off (`SIGNALBOX_HISTORY=off`). */
  state(): KeeperState | null;
}

export interface HistoryKeeper {
  state(): KeeperState;
  /** Writes the queue, as far as the store allows within a second. */
  close(): Promise<void>;
}

export interface KeeperOptions {
  readonly hub: Pick<Hub, 'subscribe' | 'apart'>;
  readonly log: HistoryLog;
  readonly audit: Pick<Audit, 'read'>;
  readonly retention: Retention;
  readonly now: () => number;
  readonly onProblem: Pick<Log, 'warn' | 'info'>;
  /** Called with rows after their write. */
  readonly wrote?: (rows: readonly HistoryRow[]) => void;
  /** Most rows that wait for the store, beside those of the first world. */
  readonly queueMax?: number;
}

/** The pause after a turn that wrote few rows. */
const writeMs = 500;
/** The pause after a turn that wrote many. A hold that begins and ends meanwhile is one row. */
const busyWriteMs = 3_000;
const busyRows = 200;
/** Rows of one transaction. Smaller ones write most pages of the indexes more often. */
const batchRows = 512;
const queueMaxDefault = 50_000;
/** Writes also without a change, to keep the pen and move the last written instant. */
const beatMs = 5_000;
/** Fewest steps between two writes, of 200 rows each. */
const tidySteps = 4;
/**
 * Further steps after many rows. Old rows must go faster than new ones come, even where hot locks need steps of their
 * own.
 */
const rowsPerStep = 50;
const retryMs = 5_000;
const closeMs = 1_000;

/** The queue of a large world has half a million rows, and a copy of it for each batch takes longer than the batch. */
function firstOf<T>(values: Iterable<T>, max: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    first.push(value);
    if (first.length === max) break;
  }
  return first;
}

const refsOf = ({ patch }: WorldStep): Pick<Changed, 'locks' | 'semaphores'> => {
  const { put, edit } = patch;
  const named = (table: 'locks' | 'semaphores') =>
    [...(edit[table] ?? []).map(editedName), ...removedIn(patch, table)].map(partsOfName);
  return {
    locks: [...(put.locks ?? []), ...named('locks').map(({ source, name }) => ({ source, key: name }))],
    semaphores: [
      ...(put.semaphores ?? []),
      ...named('semaphores').map(({ source, name }) => ({ source, prefix: name })),
    ],
  };
};

/** The whole world as one change. */
const everything = ({ locks, semaphores, findings }: Snapshot): Changed => ({
  locks,
  semaphores,
  findings: findings.map((is) => ({ was: null, is })),
});

const nothing: Changed = { locks: [], semaphores: [], findings: [] };

/** One turn at recording, from taking the pen until it is lost or the queue is full. */
class Turn {
  private readonly queue = new Map<string, HistoryRow>();
  /** The queue is complete until this instant. */
  private seenUntilMs: number;
  /** The turn takes no more, and the keeper begins again. */
  full = false;
  private queueMax: number;
  private readonly sleep;

  constructor(
    private readonly recorder: Recorder,
    private readonly options: KeeperOptions,
  ) {
    this.seenUntilMs = options.now();
    this.queueMax = options.queueMax ?? queueMaxDefault;
    this.sleep = watchSleep(options.now);
  }

  close(): void {
    this.sleep.close();
  }

  /** True after a sleep, until the next look. Changes that this look finds count as seen after a gap. */
  get hasWoken(): boolean {
    return this.sleep.isOver;
  }

  /** Takes the first world, whatever its size. A large world would never be recorded otherwise. */
  begin(snapshot: Snapshot): void {
    this.take(snapshot, everything(snapshot));
    this.queueMax += this.queue.size;
  }

  /** Never throws, because it runs while a step is published to all readers. */
  take(snapshot: Snapshot, changed: Changed): void {
    if (this.full) return;
    const { now, onProblem } = this.options;
    const nowMs = now();
    const source = this.sleep.watched(snapshot.source);
    const asleep = source !== snapshot.source;
    const step = { world: snapshot, findings: () => snapshot.findings, source, asleep, nowMs };
    try {
      // The gap comes before the changes in it.
      if (asleep) this.add(this.recorder.take({ ...step, changed: nothing }));
      this.add(this.recorder.take({ ...step, changed }));
      this.seenUntilMs = nowMs;
    } catch (error) {
      this.full = true;
      onProblem.warn(errorFields(error), 'the history missed a step for a bug');
    }
  }

  /**
   * The queue is full when it was too long before these rows. One step may bring a whole world, which is in memory
   * anyway.
   */
  add(rows: readonly HistoryRow[]): void {
    if (rows.length === 0) return;
    this.full ||= this.queue.size > this.queueMax;
    for (const one of rows) this.queue.set(one.row.id, one);
  }

  get isEmpty(): boolean {
    return this.queue.size === 0;
  }

  /** Nothing has changed, so the record is complete until now. */
  beat(snapshot: Snapshot): void {
    this.take(snapshot, nothing);
  }

  /** Returns the number of rows that it wrote. */
  async write(deeds: () => Promise<readonly Deed[]>): Promise<number> {
    let rows = 0;
    for (const deed of await deeds()) this.add(this.recorder.deed(deed));
    do {
      const batch = firstOf(this.queue.values(), batchRows);
      const isLast = batch.length === this.queue.size;
      await this.options.log.write(batch, isLast ? this.seenUntilMs : null);
      this.options.retention.saw(batch);
      this.options.wrote?.(batch);
      rows += batch.length;
      // A row that changed during the write stays queued.
      for (const one of batch) if (this.queue.get(one.row.id) === one) this.queue.delete(one.row.id);
      await yieldToEventLoop();
    } while (!this.isEmpty && !this.full);
    return rows;
  }

  async tidy(rows: number): Promise<void> {
    const steps = Math.max(tidySteps, rows / rowsPerStep);
    for (let step = 0; step < steps && (await this.options.retention.step()); step += 1)
      await yieldToEventLoop();
  }
}

export function createKeeper(options: KeeperOptions): HistoryKeeper {
  const { hub, log, audit, now, onProblem } = options;
  const end = new AbortController();
  let state: KeeperState = { state: 'elsewhere', awaySinceMs: null };
  const pause = (ms: number) => delay(ms, undefined, { signal: end.signal }).catch(() => {});
  const away = (error: unknown) => {
    if (state.state !== 'away') onProblem.warn(errorFields(error), 'the history cannot be written');
    state = { state: 'away', awaySinceMs: state.awaySinceMs ?? now() };
  };
  const recording = () => {
    if (state.state === 'away') onProblem.info('the history is written again');
    state = { state: 'recording', awaySinceMs: null };
  };

  /**
   * `null`: another replica writes. What it read lives no longer than this call: it is as large as the world, and a turn
   * may last for months.
   */
  const begin = async (why: Resumed['why']): Promise<Recorder | null> => {
    const left = await log.hold();
    return left && new Recorder({ newId: () => orderedId(now()), resumed: { ...left, why } });
  };

  /** Returns what the next recorder says of the time in between. */
  const turn = async (recorder: Recorder): Promise<Resumed['why']> => {
    const one = new Turn(recorder, options);
    const deeds = createDeeds(audit);
    let last: Snapshot | null = null;
    const { start, leave } = hub.subscribe(
      {
        isReader: false,
        step: (step, snapshot) => {
          last = snapshot;
          one.take(snapshot, { ...refsOf(step), findings: step.findings });
        },
        closed: () => {},
      },
      null,
    );
    if (start.from === 'snapshot') {
      last = start.snapshot;
      one.begin(last);
    }
    let beatAtMs = 0;
    let rows = 0;
    try {
      while (!one.full) {
        if (last !== null && (one.hasWoken || now() - beatAtMs >= beatMs)) {
          beatAtMs = now();
          one.beat(last);
        }
        try {
          rows = await one.write(deeds);
          if (!end.signal.aborted) await one.tidy(rows);
          recording();
        } catch (error) {
          if (error instanceof NotWriter) return 'restart';
          away(error);
        }
        if (end.signal.aborted) return 'restart';
        await pause(rows < busyRows ? writeMs : busyWriteMs);
      }
      onProblem.warn({}, 'the history begins again: more happened than it could write, or it missed a step');
      return 'behind';
    } finally {
      leave();
      one.close();
    }
  };

  /** As `turn`. A function of its own, so that the recorder is gone before the next one is made. */
  const once = async (why: Resumed['why']): Promise<Resumed['why']> => {
    const recorder = await begin(why);
    if (recorder !== null) return turn(recorder);
    // The time after which this replica begins again is that of another one.
    state = { state: 'elsewhere', awaySinceMs: null };
    return 'restart';
  };

  const run = async () => {
    let why: Resumed['why'] = 'restart';
    while (!end.signal.aborted) {
      try {
        why = await once(why);
      } catch (error) {
        away(error);
      }
      if (!end.signal.aborted) await pause(retryMs);
    }
    await log.letGo().catch(() => {});
  };
  // Runs apart, so that the request that started the server can be freed.
  const ended = hub.apart(run);
  return {
    state: () => state,
    async close() {
      end.abort();
      await Promise.race([ended, delay(closeMs)]);
    },
  };
}
