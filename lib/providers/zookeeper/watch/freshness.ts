/** The freshness of the view, in the one word on screen. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { silent } from '@/lib/providers/zookeeper/client/failure';
import type { Away } from '@/lib/providers/zookeeper/client/session';
import { originOf, type ZkSettings } from '@/lib/providers/zookeeper/client/settings';

export interface Freshness {
  away(link: Away, contactMs: number | null): void;
  /** A whole read is under way. */
  reading(): void;
  /** The link is up, but the view cannot be read. */
  failed(problem: Problem, contactMs: number | null): void;
  /** The view is complete. */
  live(contactMs: number | null): void;
  /** Called at least every few seconds while live. */
  heard(contactMs: number, nowMs: number): void;
}

/** A ping goes out every two seconds. */
const silenceMs = 5_000;

export function createFreshness(settings: ZkSettings, onChange: (source: SourceState) => void): Freshness {
  const { id, title } = settings;
  let source = unreadSource({ id, title, provider: 'zookeeper', origin: originOf(settings) });
  /** Since when changes may have been missed; `null`: none, or nothing was seen yet. */
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
      // One failed server of several is no outage yet.
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
      // The connection is the same and its answers come in order, so nothing was lost.
      else if (!isSilent && isSilence(source)) {
        staleSinceMs = null;
        publish('live', null, contactMs);
      }
    },
  };
}

const isSilence = ({ state, problem }: SourceState) =>
  state === 'stale' && isProblem(problem) && problem.why?.code === 'no-answer';
