/**
 * The lengths of holds and waits, by the first part of their name. They cover only those that this replica recorded and
 * saw whole: a length that began or ended in a gap is unknown.
 */
import { Histogram, type Registry } from 'prom-client';
import { type HistoryRow, type Hold, lastedMs, type Wait, wasSeenWhole } from '@/lib/domain/history/episode';
import { partOfName } from '@/lib/domain/history/figures';
import { subjectName } from '@/lib/domain/model';

/** Seconds, from a short critical section to a leader's day. */
const buckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400];

/** Most values of `prefix`, first come, first served. Each costs some thirty series. */
export const prefixesMax = 50;
/** A longer one is a name that is made up each time. */
const prefixLengthMax = 64;
const otherLabel = 'other';
/** A row is written again when an action shows late, and must count once. */
const countedMax = 20_000;

export interface HistoryHistograms {
  /** Rows as they are written. */
  wrote(rows: readonly HistoryRow[]): void;
}

export function createHistoryHistograms(registry: Registry): HistoryHistograms {
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['source', 'prefix'], buckets, registers: [registry] });
  const holds = histogram(
    'signalbox_hold_seconds',
    'How long holds lasted that ended, by the first part of their name. Of what this replica has recorded.',
  );
  const waits = histogram(
    'signalbox_wait_seconds',
    'How long waits in visible queues lasted that ended, by the first part of their name. Of what this replica has recorded.',
  );
  const prefixes = new Set<string>();
  const counted = new Set<string>();
  const prefixOf = (name: string): string => {
    const part = partOfName(name);
    if (prefixes.has(part)) return part;
    if (prefixes.size === prefixesMax || part.length > prefixLengthMax) return otherLabel;
    prefixes.add(part);
    return part;
  };
  const isNew = (id: string): boolean => {
    if (counted.has(id)) return false;
    counted.add(id);
    if (counted.size > countedMax)
      for (const first of [...counted].slice(0, countedMax / 2)) counted.delete(first);
    return true;
  };
  const observe = (to: Histogram, row: Hold | Wait) => {
    const { subject, from } = row;
    const labels = { source: subject.source, prefix: prefixOf(subjectName(subject)) };
    to.observe(labels, lastedMs(row, from.atMs) / 1_000);
  };
  return {
    wrote(rows) {
      for (const { kind, row } of rows)
        if (kind === 'hold' && wasSeenWhole(row) && isNew(row.id)) observe(holds, row);
        else if (kind === 'wait' && wasSeenWhole(row) && isNew(row.id)) observe(waits, row);
    },
  };
}
