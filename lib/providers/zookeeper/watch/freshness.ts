/** How fresh the view is, in the one word that the screen shows. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { silent } from '@/lib/providers/zookeeper/client/failure';
import type { Away } from '@/lib/providers/zookeeper/client/session';
import { originOf, type ZkSettings } from '@/lib/providers/zookeeper/client/settings';

export interface Freshness {
  away(link: Away, contactMs: number | null): void;
  /** All is being read. */
  reading(): void;
  /** The link is there, and what is in view cannot be read. */
  failed(problem: Problem, contactMs: number | null): void;
  /** What is in view is all there is. */
  live(contactMs: number | null): void;
  /** At least every few seconds while live. */
  heard(contactMs: number, nowMs: number): void;
}

/** A server is asked every two seconds. */
const silenceMs = 5_000;

export function createFreshness(settings: ZkSettings, onChange: (source: SourceState) => void): Freshness {
  const { id, title } = settings;
  let source = unreadSource({ id, title, provider: 'zookeeper', origin: originOf(settings) });
  /** Since when changes may have been missed; `null`: nothing was seen yet, or all is. */
  let staleSinceMs: number | null = null;
  const publish = (state: SourceState['state'], problem: Problem | null, lastContactMs: number | null) => {
    const isSame = source.state === state && JSON.stringify(source.problem) === JSON.stringify(problem);
    source = { ...source, state, problem, lastContactMs, staleSinceMs };
    if (!isSame) onChange(source);
  };
  const behind = (state: SourceState['state'], problem: Problem | null, contactMs: number | null) => {
    staleSinceMs ??= contactMs;
    publish(state, problem, contactMs);
  };
  onChange(source);
  return {
    away: ({ problem, everywhere }, contactMs) => {
      if (problem === null) return;
      // Between two servers one is simply asked next.
      const wasDown = source.state === 'down';
      behind(everywhere || wasDown || contactMs === null ? 'down' : 'stale', problem, contactMs);
    },
    reading: () => behind('catching-up', null, source.lastContactMs),
    failed: (problem, contactMs) => behind(contactMs === null ? 'down' : 'stale', problem, contactMs),
    live: (contactMs) => {
      staleSinceMs = null;
      publish('live', null, contactMs);
    },
    heard: (contactMs, nowMs) => {
      const isSilent = nowMs - contactMs > silenceMs;
      if (isSilent && source.state === 'live') behind('stale', silent(silenceMs), contactMs);
      // Nothing was lost: the connection is the same, and what was on its way comes in order.
      else if (!isSilent && isSilence(source)) {
        staleSinceMs = null;
        publish('live', null, contactMs);
      }
    },
  };
}

const isSilence = ({ state, problem }: SourceState) =>
  state === 'stale' && isProblem(problem) && problem.why?.code === 'no-answer';
