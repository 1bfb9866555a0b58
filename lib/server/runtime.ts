/**
 * The composition root: the one place that knows which provider there is. It lives on `globalThis` because Next
 * loads several copies of a module into one process (instrumentation and each route have their own), and two hubs
 * would be two sets of queries and two histories. Started by `instrumentation.ts`.
 */
import 'server-only';
import { randomBytes } from 'node:crypto';
import { createConsulProvider } from '@/lib/consul/provider';
import { origin } from '@/lib/consul/settings';
import type { Provider } from '@/lib/domain/provider';
import { findingsOf } from '@/lib/domain/rules/table';
import { type ActionsAllowed, type Env, readEnv } from './env';
import { createHub, type Hub } from './hub';
import { createLog, errorFields, type Log } from './log';
import { createProbes, type Probes } from './probe';
import { createSourceLog } from './source-log';
import { sourceStamp } from './source-stamp';
import { createStreams, type Streams } from './sse';

export interface Runtime {
  readonly env: Env;
  readonly provider: Provider;
  readonly hub: Hub;
  readonly streams: Streams;
  readonly probes: Probes;
  readonly log: Log;
  readonly actionsAllowed: ActionsAllowed;
  close(): Promise<void>;
}

/** Viewers at a time, counted in streams: one for each browser that has the page open. */
const streamsMax = 1_000;

function createRuntime(): Runtime {
  const env = readEnv(process.env);
  const log = createLog(env.logLevel);
  const now = Date.now;
  const provider = createConsulProvider({
    settings: env.consul,
    renewalAgents: env.renewalAgents,
    prefixes: env.prefixes,
    now,
  });
  const hub = createHub({
    provider,
    now,
    instance: randomBytes(6).toString('hex'),
    findingsOf,
    onSource: createSourceLog(log),
    onBug: (error) => log.error(errorFields(error), 'the watch ended for a bug and starts anew'),
  });
  const streams = createStreams({ hub, max: streamsMax });
  log.info({ consul: origin(env.consul), prefixes: env.prefixes }, 'watching');
  return {
    env,
    provider,
    hub,
    streams,
    probes: createProbes({ provider, now }),
    log,
    actionsAllowed: env.actions,
    close: async () => {
      streams.close();
      await hub.close();
      provider.close();
    },
  };
}

interface Kept {
  readonly runtime: Runtime;
  readonly stamp: string;
}
const place = globalThis as typeof globalThis & { [key: symbol]: Kept | undefined };
const name = Symbol.for('signalbox.runtime');

/**
 * The runtime of this process, made at the first call. In development one that was made from older sources is
 * closed and made anew, so that an edit takes effect without a restart.
 */
export function runtime(): Runtime {
  const kept = place[name];
  const stamp = sourceStamp();
  if (kept !== undefined && kept.stamp === stamp) return kept.runtime;
  if (kept !== undefined)
    kept.runtime
      .close()
      .catch((error: unknown) => kept.runtime.log.error(errorFields(error), 'close failed'));
  const made = createRuntime();
  place[name] = { runtime: made, stamp };
  return made;
}

/** Ends streams and watches, if there are any. A server with an open stream would not end for many seconds. */
export async function closeRuntime(): Promise<void> {
  const kept = place[name];
  place[name] = undefined;
  await kept?.runtime.close();
}
