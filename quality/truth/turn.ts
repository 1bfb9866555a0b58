/**
 * Changes while Signalbox watches. A turn without effect would leave a row that holds anyway, so each proves by the server
 * or by the system, never by Signalbox, that it has taken effect, and that it had not before.
 */

import type { Stage } from '@/quality/truth/stage';
import { until } from '@/test/support/until';

export interface Turn<M = unknown, S = Stage> {
  /** Turns that come first. They are taken where no earlier row did, so that a row can be run alone. */
  readonly first?: readonly Turn<M, S>[];
  /** Left out where time brings it about: then it may have happened before its turn. */
  readonly bring?: (stage: S, made: M) => Promise<unknown>;
  readonly took: (stage: S, made: M) => Promise<boolean>;
}

/** By world: rows that look at one thing share its turn. */
const taken = new WeakMap<object, Set<object>>();

const tookMs = 60_000;

export async function takeTurn<M, S extends object>(turn: Turn<M, S>, stage: S, made: M): Promise<void> {
  const done = taken.get(stage) ?? new Set();
  taken.set(stage, done);
  if (done.has(turn)) return;
  for (const one of turn.first ?? []) await takeTurn(one, stage, made);
  if (turn.bring !== undefined) {
    if (await turn.took(stage, made)) throw new Error('It had happened before its turn came.');
    await turn.bring(stage, made);
  }
  await until(() => turn.took(stage, made), { what: 'the effect of the turn', timeoutMs: tookMs });
  done.add(turn);
}
