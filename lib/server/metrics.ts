/** What this server has done and seen, as numbers for Prometheus. */
import type { ActionType } from '@/lib/domain/action';
import type { ProblemCode } from '@/lib/domain/problem';

export interface Metrics {
  /** An action was planned or applied, or refused. */
  acted(type: ActionType, mode: 'plan' | 'apply', outcome: 'done' | 'partly' | 'planned' | ProblemCode): void;
}

export function createMetrics(): Metrics {
  return { acted: () => {} };
}
