/**
 * Changes while Signalbox watches. A turn without effect would prove nothing. So each checks on the server or the
 * system, never in Signalbox, that its effect is there, and was not there before.
 */

import type { Stage } from '@/quality/truth/stage';
import { until } from '@/test/support/until';

export interface Turn<M = unknown, S = Stage> {
  /** Turns that come first, unless an earlier row took them. So a row can run alone. */
  readonly first?: readonly Turn<M, S>[];
  /** Makes the change. Absent when time makes it, which may come before the turn. */
  readonly bring?: (stage: S, made: M) => Promise<unknown>;
  readonly took: (stage: S, made: M) => Promise<boolean>;
}

/** Turns taken, by world. Rows that look at one thing share its turn. */
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
