/** The common parts of storms on every backend: their duration, and an operator who acts on Signalbox's view. */
import type { Action } from '@/lib/domain/actions/action';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { below, type Deed, pause } from './history';

export interface StormOptions {
  readonly ms: number;
  /** The interval at which a client of the real library is killed (SIGKILL) and replaced; absent: never. */
  readonly killEveryMs?: number;
  /** The interval at which the leader, or a master, is killed, and restarted once another leads; absent: never. */
  readonly deposeEveryMs?: number;
  readonly say: (text: string) => void;
}

export interface StormReport {
  /** The breaches of invariants. */
  readonly wrong: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** A test that turns true after `ms`. */
export const isOverAfter = (ms: number) => {
  const endMs = Date.now() + ms;
  return () => Date.now() > endMs;
};

/** Repeats until it is over. A failure while a server is away is retried. */
export async function repeat(
  isOver: () => boolean,
  everyMs: number,
  once: () => Promise<void>,
): Promise<void> {
  let nextMs = Date.now() + everyMs;
  while (!isOver()) {
    await pause(50);
    if (Date.now() < nextMs) continue;
    await once();
    nextMs = Date.now() + everyMs;
  }
}

/** The kind of deed for each type of action in a storm. */
const kinds: Readonly<Partial<Record<Action['type'], Deed['kind']>>> = {
  'lock.release': 'evict',
  'semaphore.evict': 'evict',
  'lock.remove-waiter': 'waiter',
  'semaphore.remove-waiter': 'waiter',
  'semaphore.prune': 'sweep',
  'semaphore.resize': 'limit',
  'semaphore.return-permits': 'return',
  'lock.wake': 'wake',
  'lock.ask': 'ask',
};

const placeOf = (action: Action): string =>
  'key' in action
    ? action.key
    : 'prefix' in action
      ? action.prefix
      : 'prefixes' in action
        ? (action.prefixes[0] ?? '')
        : '';

/** Plans, waits for a moment, applies, and records the deed. `null`: there was nothing to do. */
export async function strike(provider: Provider, action: Action, deeds: Deed[]): Promise<Deed | null> {
  const kind = kinds[action.type];
  if (kind === undefined) throw new Error(`A storm has no ${action.type}.`);
  const signal = AbortSignal.timeout(20_000);
  const planned = await provider.plan(action, signal);
  if (isProblem(planned)) return null;
  await pause(below(12));
  const fromMs = Date.now();
  const outcome = await provider.apply(action, JSON.parse(JSON.stringify(planned.expect)), signal);
  const told = !isProblem(outcome) ? 'done' : outcome.code === 'unknown-result' ? 'unknown' : 'refused';
  const deed: Deed = {
    kind,
    place: placeOf(action),
    who: provider.saw(action, planned.expect).sessions,
    ...('limit' in action ? { limit: action.limit } : {}),
    ...('permits' in action ? { permits: action.permits } : {}),
    targets: planned.plan.writes.map(({ target }) => target),
    fromMs,
    toMs: Date.now(),
    told,
  };
  deeds.push(deed);
  return deed;
}

export const holdersOf = ({ holder, readers = [] }: Lock) => [
  ...(holder === null ? [] : [holder]),
  ...(readers ?? []),
];

export const ghostsOf = (rows: readonly (Lock | Semaphore)[]) =>
  rows.flatMap((row) =>
    (row.waiters ?? []).flatMap((waiter) => (waiter.verdict === 'ghost' ? [{ row, waiter }] : [])),
  );
