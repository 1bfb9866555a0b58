/**
 * Marked calls to one agent. Each carries a mark in its URL and so shows in the agent's log, which proves that the log
 * has arrived up to there. The call asks for the leader, whose change gives every session its full time again.
 */
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { ConsulSettings } from '@/lib/providers/consul/client/settings';
import { ask, lastingSocket } from './agent-request';
import { markName } from './monitor-line';

export interface BeatOptions {
  readonly settings: ConsulSettings;
  readonly clock: Clock;
  /** The agent's leader, at every beat; `null`: none. */
  readonly onLeader: (leader: string | null, atMs: number) => void;
}

export interface Beats {
  /** Number of the last beat sent; 0 before the first. */
  last(): number;
  /** The instant at which the beat was sent; `undefined`: never, or `beatsKept` or more beats ago. */
  sentMs(number: number): number | undefined;
  /** The number of a beat by its mark; `null`: it is none of these beats. */
  numberOf(mark: string): number | null;
  /** Resolves with the agent's answer, whatever its status. Rejects when none comes in time. */
  send(): Promise<void>;
  close(): void;
}

/** Instants that are kept. A stream that lacks a beat is given up long before. */
const beatsKept = 64;
/** The answer is a short address; more of it is not read. */
const answerLengthMax = 256;

export function createBeats({ settings, clock, onLeader }: BeatOptions, signal: AbortSignal): Beats {
  const name = Math.floor(clock.random() * 2 ** 40).toString(36);
  const sockets = lastingSocket(settings);
  const sentMs = new Map<number, number>();
  let last = 0;
  return {
    last: () => last,
    sentMs: (number) => sentMs.get(number),
    numberOf: (mark) => (mark.startsWith(`${name}-`) ? Number(mark.slice(name.length + 1)) : null),
    send: async () => {
      last += 1;
      sentMs.set(last, clock.now());
      sentMs.delete(last - beatsKept);
      const path = `/v1/status/leader?${markName}=${name}-${last}`;
      const { status, text } = await ask({ settings, path, signal, agent: sockets }, answerLengthMax);
      // Without a leader Consul answers "". An error (a starting agent) says nothing about leaders.
      if (status === 200) onLeader(/^"(.+)"\s*$/.exec(text)?.[1] ?? null, clock.now());
    },
    close: () => sockets.destroy(),
  };
}
