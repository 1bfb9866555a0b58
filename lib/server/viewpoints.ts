/**
 * One viewpoint for one credential: a provider that reads and writes with it, and the hub and streams that everybody
 * with this credential shares. So the backend decides what each person sees, and the load on it grows with the
 * credentials in use, not with tabs. The server's own lives as long as the server; the others end when nobody has
 * looked for a while.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Backend } from '@/lib/domain/backend';
import type { Finding } from '@/lib/domain/finding';
import type { Source, World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/provider';
import { createHub, type Hub } from './hub';
import { createProbes, type Probes } from './probe';
import { createStreams, type Streams } from './sse';

export interface Viewpoint {
  readonly provider: Provider;
  readonly hub: Hub;
  readonly streams: Streams;
  readonly probes: Probes;
}

export interface Viewpoints {
  /** With the server's own credential. */
  readonly own: Viewpoint;
  /** All that are open now, the server's own first. */
  readonly open: readonly Viewpoint[];
  /** The viewpoint of this secret. Throws `busy` when as many as the backend bears are in use. */
  of(secret: string): Viewpoint;
  close(): Promise<void>;
}

export interface ViewpointsOptions {
  readonly backend: Backend;
  readonly now: () => number;
  readonly findingsOf: (world: World) => readonly Finding[];
  /** Most streams of each viewpoint. */
  readonly streamsMax: number;
  /** How long a viewpoint stays without a viewer or a request. */
  readonly idleMs?: number;
  /** How fresh the server's own world is. */
  readonly onSource: (source: Source) => void;
  readonly onBug: (error: unknown) => void;
}

const idleMsDefault = 60_000;
const sweepMs = 5_000;

interface Kept extends Viewpoint {
  usedAtMs: number;
}

export function createViewpoints(options: ViewpointsOptions): Viewpoints {
  const { backend, now, findingsOf, streamsMax, idleMs = idleMsDefault, onSource, onBug } = options;
  /** By a digest, so that the secret itself is in one place less. */
  const kept = new Map<string, Kept>();
  const ending = new Set<Promise<void>>();

  const make = (secret: string | null): Kept => {
    const provider = backend.provider(secret);
    const hub = createHub({
      provider,
      now,
      instance: randomBytes(6).toString('hex'),
      findingsOf,
      onBug,
      ...(secret === null ? { onSource } : {}),
    });
    return {
      provider,
      hub,
      streams: createStreams({ hub, max: streamsMax }),
      probes: createProbes({ provider, now }),
      usedAtMs: now(),
    };
  };
  const end = async ({ streams, hub, provider }: Viewpoint) => {
    streams.close();
    await hub.close();
    provider.close();
  };
  const own = make(null);
  const sweep = () => {
    for (const [name, one] of kept) {
      if (one.hub.viewers > 0) one.usedAtMs = now();
      if (now() - one.usedAtMs < idleMs) continue;
      kept.delete(name);
      const ended = end(one).catch(onBug);
      ending.add(ended);
      void ended.finally(() => ending.delete(ended));
    }
  };
  const timer = setInterval(sweep, sweepMs);
  timer.unref();

  return {
    own,
    get open() {
      return [own, ...kept.values()];
    },
    of: (secret) => {
      const name = createHash('sha256').update(secret).digest('hex');
      const known = kept.get(name);
      if (known !== undefined) {
        known.usedAtMs = now();
        return known;
      }
      const max = backend.credentialsMax - 1;
      if (kept.size >= max)
        throw new ProblemError({ code: 'busy', why: { code: 'too-many-people', facts: { max } } });
      const made = make(secret);
      kept.set(name, made);
      return made;
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([...ending, ...[own, ...kept.values()].map(end)]);
      kept.clear();
    },
  };
}
