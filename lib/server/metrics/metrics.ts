/**
 * Numbers for Prometheus. Unknown is absent, never 0. The names of locks are bounded in number, and no value or token
 * is ever a label.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type ActionType, actionTypes } from '@/lib/domain/actions/action';
import type { AuditKind } from '@/lib/domain/actions/audit';
import type { HistoryRow } from '@/lib/domain/history/episode';
import type { ProblemCode } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { createHistoryHistograms } from './history-histograms';
import { createSnapshotGauges } from './snapshot-gauges';

export type ActedOutcome = 'done' | 'partly' | 'planned' | ProblemCode;

export interface MetricsInput {
  readonly snapshot: Snapshot;
  /** The steps from a version to the snapshot. */
  readonly since: Hub['since'];
  readonly nowMs: number;
  /** Over all hubs. All viewers of one embedded scope count as one. */
  readonly viewers: number;
  readonly streams: { readonly console: number; readonly embed: number };
  readonly viewpoints: number;
  /** `null`: no webhook, or unknown. */
  readonly webhookBacklog: number | null;
}

export interface Metrics {
  acted(type: ActionType, mode: 'plan' | 'apply', outcome: ActedOutcome): void;
  audited(kind: AuditKind, rows?: number): void;
  auditFailed(): void;
  /** Rows of the history that this server has written. */
  recorded(rows: readonly HistoryRow[]): void;
  /** The text format of Prometheus 0.0.4. */
  text(sight: MetricsInput): Promise<string>;
  readonly contentType: string;
}

/**
 * The library computes some in pairs, so both of a pair stay. The pairs are CPU and the user's share, the lag and its
 * 99th percentile, the heap's size and use.
 */
const processMetrics: ReadonlySet<string> = new Set([
  'process_cpu_user_seconds_total',
  'process_cpu_seconds_total',
  'process_start_time_seconds',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_total_bytes',
  'nodejs_heap_size_used_bytes',
  'nodejs_version_info',
]);

/** An outcome that an alert counts must exist at 0, or Prometheus misses its first increase. */
const outcomesFromTheStart: readonly ActedOutcome[] = ['done', 'partly', 'unknown-result', 'unavailable'];

export const rowsMaxDefault = 500;

export function createMetrics({ rowsMax = rowsMaxDefault }: { rowsMax?: number } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray())
    if (!processMetrics.has(name)) registry.removeSingleMetric(name);

  const actions = new Counter({
    name: 'signalbox_actions_total',
    help: 'Actions planned and applied through this server, by what came of them.',
    labelNames: ['action', 'mode', 'outcome'],
    registers,
  });
  for (const action of actionTypes)
    for (const outcome of outcomesFromTheStart) actions.inc({ action, mode: 'apply', outcome }, 0);
  const rows = new Counter({
    name: 'signalbox_audit_rows_total',
    help: 'Rows that this server has added to the audit, by kind.',
    labelNames: ['kind'],
    registers,
  });
  const failures = new Counter({
    name: 'signalbox_audit_failures_total',
    help: 'Rows of the audit that could not be written. An action whose intent is among them was refused.',
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const viewers = gauge(
    'signalbox_viewers',
    'Readers of the live world; all who look at one embedded scope count as one.',
  );
  const streams = new Gauge({
    name: 'signalbox_streams',
    help: 'Open streams of events, by who reads them.',
    labelNames: ['of'],
    registers,
  });
  const viewpoints = gauge(
    'signalbox_viewpoints',
    'Credentials that are watched with, that of the server among them. Each costs connections to Consul.',
  );
  const backlog = gauge(
    'signalbox_webhook_backlog_rows',
    'Rows of the audit that the webhook has yet to take. The same on every replica.',
  );
  const history = createHistoryHistograms(registry);
  const world = createSnapshotGauges({ registry, rowsMax });

  return {
    acted: (action, mode, outcome) => actions.inc({ action, mode, outcome }),
    audited: (kind, count = 1) => rows.inc({ kind }, count),
    auditFailed: () => failures.inc(),
    recorded: history.wrote,
    text: (sight) => {
      viewers.set(sight.viewers);
      for (const kind of ['console', 'embed'] as const) streams.set({ of: kind }, sight.streams[kind]);
      viewpoints.set(sight.viewpoints);
      if (sight.webhookBacklog === null) backlog.remove();
      else backlog.set(sight.webhookBacklog);
      world.set(sight.snapshot, sight.nowMs, sight.since);
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}
