/** The evidence of a run, kept in a file, so that a mended comparison judges the same run again (`--again`). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { inState } from '@/scripts/project.mjs';
import type { Blinding } from './blinding';
import type { Compared, Comparison } from './compare';

export interface HistoryPart {
  readonly name: 'storm' | 'faults';
  readonly minutes: number;
  readonly seed: number;
  readonly compared: Compared;
  readonly actions: number;
  readonly refused: number;
  readonly killed: number;
  readonly blindings: readonly Blinding[];
  /** Version of the Consul that it ran on. */
  readonly consul: string;
  /** When it began, in ISO 8601. */
  readonly at: string;
}

export interface Evidence extends Omit<HistoryPart, 'compared'> {
  readonly comparison: Comparison;
}

const fileOf = (name: string) => inState('chaos', `history-${name}.json`);

export function keepEvidence(evidence: Evidence): void {
  const { seen } = evidence.comparison;
  const comparison = {
    ...evidence.comparison,
    seen: { ...seen, sessionsEnded: [...seen.sessionsEnded] },
  };
  mkdirSync(inState('chaos'), { recursive: true });
  writeFileSync(fileOf(evidence.name), JSON.stringify({ ...evidence, comparison }));
}

/** Throws where no run has left any. */
export function keptEvidence(name: string): Evidence {
  const { comparison, ...rest } = JSON.parse(readFileSync(fileOf(name), 'utf8'));
  const { seen } = comparison;
  return {
    ...rest,
    comparison: { ...comparison, seen: { ...seen, sessionsEnded: new Map(seen.sessionsEnded) } },
  };
}
