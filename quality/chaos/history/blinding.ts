/** Blinds Signalbox for a time while the storm continues, by faults of its link to Consul and of its process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';
import type { FaultProxy } from '@/test/support/fault-proxy';
import type { Server } from '@/test/support/server';

/** One blinding, in epoch milliseconds. */
export interface Blinding {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface Stand {
  readonly proxy: FaultProxy;
  readonly server: Server;
}

/** The start, the duration and the end of each blinding. */
const blindings: Readonly<
  Record<
    string,
    {
      readonly lastsMs: readonly [number, number];
      readonly begin: (stand: Stand) => unknown;
      readonly end: (stand: Stand) => unknown;
    }
  >
> = {
  'link-cut': { lastsMs: [200, 500], begin: ({ proxy }) => proxy.cut(), end: () => {} },
  'link-refused': {
    lastsMs: [7_000, 12_000],
    begin: ({ proxy }) => proxy.refuse(),
    end: ({ proxy }) => proxy.accept(),
  },
  'link-stalled': {
    lastsMs: [9_000, 14_000],
    begin: ({ proxy }) => proxy.stall(),
    end: ({ proxy }) => proxy.resume(),
  },
  'console-killed': {
    lastsMs: [1_000, 6_000],
    begin: ({ server }) => server.kill(),
    end: ({ server }) => server.start(),
  },
  'console-ended': {
    lastsMs: [500, 4_000],
    begin: ({ server }) => server.terminate(),
    end: ({ server }) => server.start(),
  },
  'console-stopped': {
    lastsMs: [8_000, 12_000],
    begin: ({ server }) => server.pause(),
    end: ({ server }) => server.resume(),
  },
};

/** Blinds one way after another until `untilMs` (epoch), with pauses in which Signalbox recovers. */
export async function blindUntil(
  untilMs: number,
  stand: Stand,
  { chance, say }: { chance: Chance; say: (text: string) => void },
): Promise<readonly Blinding[]> {
  const played: Blinding[] = [];
  const names = Object.keys(blindings);
  for (let n = 0; Date.now() < untilMs; n += 1) {
    const name = names[n % names.length] ?? '';
    const one = blindings[name];
    if (one === undefined) continue;
    const [min, max] = one.lastsMs;
    const fromMs = Date.now();
    await one.begin(stand);
    await delay(min + chance() * (max - min));
    await one.end(stand);
    played.push({ name, fromMs, toMs: Date.now() });
    say(`   ${name}, ${((Date.now() - fromMs) / 1_000).toFixed(1)} s`);
    await delay(12_000 + chance() * 10_000);
  }
  return played;
}
