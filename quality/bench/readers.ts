/** Readers of event streams, in their own process: the delay of the last one, and their cost for the server. */
import { pause } from '@/lib/providers/consul/client/clock';
import type { BenchStage } from './figure';
import { fork, type StreamServer } from './stream-server';
import { within } from './within';

export const eventsEach = 15;
const betweenMs = 160;

export interface Seen {
  /** From just before the cause to the last reader's event, in milliseconds, for each event. */
  readonly last: number[];
  cpuMs: number;
  requests: number;
  elapsedMs: number;
}
export const unseen = (): Seen => ({ last: [], cpuMs: 0, requests: 0, elapsedMs: 0 });

export interface Readers {
  /** Connects `count` readers to this server. Resolves with the time that this took, in milliseconds. */
  open(group: StreamServer, count: number): Promise<number>;
  leave(group: StreamServer): Promise<void>;
  /** Sends `eventsEach` events, one after the other, each awaited by every reader. */
  window(group: StreamServer, seen: Seen, round: number): Promise<void>;
}

export function startReaders(stage: BenchStage): Readers {
  const viewers = fork(stage, 'viewers.mjs');
  const asked = <T>(message: object): Promise<T> =>
    new Promise((resolve, reject) => {
      viewers.once('message', (said: T & { failed?: string }) =>
        said.failed === undefined ? resolve(said) : reject(new Error(said.failed)),
      );
      viewers.send(message);
    });
  return {
    open: async ({ name, port, path, cookies }, count) =>
      (await asked<{ ms: number }>({ open: { group: name, port, path, cookies, count } })).ms,
    leave: async ({ name }) => void (await asked({ leave: name })),
    window: async (group, seen, round) => {
      const before = { cpuMs: group.server.cpuMs(), requests: group.requests(), at: performance.now() };
      for (let n = 0; n < eventsEach; n += 1) {
        const number = round * eventsEach + n;
        const mark = `mark-${String(number).padStart(6, '0')}-end`;
        await asked({ watch: { group: group.name, mark, event: number } });
        const told = new Promise<{ lastNs: string }>((resolve) =>
          viewers.once('message', (said) => resolve(said as { lastNs: string })),
        );
        const fromNs = process.hrtime.bigint();
        await group.cause(mark);
        const { lastNs } = await within(`${group.name}: all viewers`, told);
        seen.last.push(Number(BigInt(lastNs) - fromNs) / 1e6);
        await pause(betweenMs);
      }
      seen.cpuMs += group.server.cpuMs() - before.cpuMs;
      seen.requests += group.requests() - before.requests;
      seen.elapsedMs += performance.now() - before.at;
    },
  };
}
