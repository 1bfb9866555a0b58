/**
 * The composition root, the only place that names the provider. It lives on `globalThis`, as Next loads several copies
 * of a module into one process. Two hubs would mean two sets of queries and two histories. `instrumentation.ts` starts
 * it.
 */
import 'server-only';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { AccessControl } from '@/lib/domain/identity';
import { createFindingSteps, createFindings, findingsOf } from '@/lib/domain/rules/table';
import type { Backend } from '@/lib/domain/seam/backend';
import { refuseSource, type SourceSettings } from '@/lib/domain/seam/source-settings';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { isUnverified } from '@/lib/providers/consul/client/settings';
import { consulSource } from '@/lib/providers/consul/source';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { createStandInBackend } from '@/lib/providers/stand-in/backend';
import { standInSource } from '@/lib/providers/stand-in/source';
import { createZooKeeperBackend } from '@/lib/providers/zookeeper/backend';
import { zookeeperSource } from '@/lib/providers/zookeeper/source';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { type Arrivals, createArrivals } from '@/lib/server/http/arrival';
import { createLimits, type Limits } from '@/lib/server/http/limits';
import { createTurns, type RequestTurns } from '@/lib/server/http/turns';
import { type CredentialPool, createCredentialPool } from '@/lib/server/identity/credential-pool';
import { createSourceLog } from '@/lib/server/live/source-log';
import { type Env, readEnv } from '@/lib/server/process/env';
import { createLog, errorFields, type Log } from '@/lib/server/process/log';
import { secretsOf } from '@/lib/server/process/scrub';
import { sourceStamp } from '@/lib/server/process/source-stamp';
import { createEmbedFeeds, type EmbedFeeds } from '@/lib/server/sharing/embed-feeds';
import { createGrants, type Grants } from '@/lib/server/sharing/grants';
import { joinBackends, togetherRefused } from '@/lib/server/sources/joined-backend';
import { announced, openWebhook, type Webhook } from '@/lib/server/webhook/webhook';
import { type ActionRecord, createActionRecord } from './actions/record';
import type { Audit } from './audit/audit';
import { type ChainCheck, createChainCheck } from './audit/check';
import { counted } from './audit/count';
import { type Cursors, createCursors } from './audit/cursor';
import { type HistoryBook, openHistory } from './history/history';
import { type AccessWatch, createAccessControl, createAccessWatch } from './identity/access-control';
import { type Credentials, createCredentials } from './identity/credentials';
import { createEndedSignIns } from './identity/ended-sign-ins';
import { createSeal, type Seal } from './identity/seal';
import { createSignIns, type SignIns } from './identity/sign-ins';
import { createMetrics, type Metrics } from './metrics/metrics';
import { openStore, type Store } from './store/store';

export interface Runtime {
  readonly env: Env;
  readonly backend: Backend;
  readonly viewpoints: CredentialPool;
  readonly arrivals: Arrivals;
  readonly seal: Seal;
  readonly signIns: SignIns;
  readonly credentials: Credentials;
  readonly store: Store;
  readonly audit: Audit;
  readonly record: ActionRecord;
  readonly history: HistoryBook;
  readonly grants: Grants;
  /** `null`: no webhook is configured. */
  readonly webhook: Webhook | null;
  readonly embeds: EmbedFeeds;
  readonly auditChain: ChainCheck;
  readonly auditCursors: Cursors;
  readonly limits: Limits;
  readonly turns: RequestTurns;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly now: () => number;
  /** The access control by the last answer. */
  accessControl(): Promise<AccessControl>;
  /** The reason why these sources cannot be watched together, as far as they answer now; `null`: they can. */
  refused(): Promise<string | null>;
  readonly accessWatch: AccessWatch;
  close(): Promise<void>;
}

type Open = (source: SourceSettings, env: Env & { signsIn: boolean }, now: () => number) => Backend;

const isConsul = ({ kind }: SourceSettings) => kind === 'consul' || kind === 'consuls';

const openConsul: Open = (source, env, now) => {
  const beside = env.sources.filter((one) => isConsul(one) && one.address.host === source.address.host);
  return createConsulBackend({ ...consulSource(source, env), among: beside.length, now });
};

const openRedis: Open = (source, _env, now) => createRedisBackend({ settings: redisSource(source), now });

const openZooKeeper: Open = (source, _env, now) =>
  createZooKeeperBackend({ ...zookeeperSource(source), now });

/** Opens a source of each kind: one line for each provider. Throws `invalid` for a wrong address. */
const kinds: Readonly<Record<string, Open>> = {
  consul: openConsul,
  consuls: openConsul,
  redis: openRedis,
  rediss: openRedis,
  'stand-in': (source, _env, now) => createStandInBackend({ ...standInSource(source), now }),
  zookeeper: openZooKeeper,
  zookeepers: openZooKeeper,
};

function openSources(env: Env, now: () => number): readonly [Backend, ...Backend[]] {
  const signIn = env.sources.find(isConsul);
  const [first, ...others] = env.sources.map((source) => {
    const open = Object.hasOwn(kinds, source.kind) ? kinds[source.kind] : undefined;
    if (open === undefined)
      return refuseSource(
        `${source.id} is of the kind ${source.kind}; known are ${Object.keys(kinds).join(', ')}.`,
      );
    return open(source, { ...env, signsIn: source === signIn }, now);
  });
  if (first === undefined) return refuseSource('no source is named.');
  return [first, ...others];
}

const unverified =
  'CONSUL_HTTP_SSL_VERIFY is off: certificates of Consul are not checked, so any server at its address gets the tokens';

/** Longest wait of the start for the sources to report whether they ask for credentials. */
const togetherMs = 5_000;

/** One for each browser with an open page. */
const streamsMax = 1_000;

function createRuntime(): Runtime {
  const env = readEnv(process.env);
  // This comes before anything starts, because a malformed list ends the start.
  const arrivals = createArrivals(env);
  const log = createLog(env.logLevel, { secrets: secretsOf(env) });
  const consuls = env.sources.filter(isConsul).map((one) => consulSource(one, { ...env, signsIn: false }));
  // Servers take the TLS settings of the agent in use.
  const agentsOf = ({ settings, renewalAgents }: (typeof consuls)[number]) =>
    renewalAgents === 'servers' ? [settings] : [settings, ...renewalAgents];
  if (consuls.flatMap(agentsOf).some(isUnverified)) log.warn(unverified);
  const now = Date.now;
  const backends = openSources(env, now);
  const accessOf = (id: string) => env.sources.find((source) => source.id === id)?.access ?? null;
  const backend = joinBackends(backends, accessOf);
  const credentials = createCredentials({ backend, now });
  const viewpoints = createCredentialPool({
    backend,
    now,
    findingsOf,
    createFindingChanges: createFindingSteps,
    streamsMax,
    onSource: createSourceLog(log),
    onSignedOut: (name) => {
      credentials.forget(name);
      grants.watch.forget(name);
    },
    onBug: (error) => log.error(errorFields(error), 'the watch ended for a bug and starts anew'),
  });
  const store = openStore(
    env.store,
    (error) => log.warn(errorFields(error), 'the store was away for a moment'),
    { log },
  );
  const shared = 'postgres' in env.store;
  const signIns = createSignIns({
    now,
    idleMs: env.signIn.idleMs,
    endedSignIns: createEndedSignIns({ store, shared, now, log }),
    alone: !shared,
  });
  const replica = `${hostname()}-${randomBytes(4).toString('hex')}`;
  const onCut = (seq: number) => log.error({ seq }, 'rows of the audit were cut off, from this one on');
  const book = createAuditLog({ store, replica, now, onCut });
  const webhook = openWebhook({ env, store, replica, audit: book, now, log });
  const metrics = createMetrics({ rowsMax: env.metrics.rowsMax });
  const audit = counted(announced(book, webhook), metrics);
  const record = createActionRecord({ audit, log, now });
  const history = openHistory({
    ...env.history,
    store,
    writer: replica,
    hub: viewpoints.own.hub,
    audit: book,
    now,
    log,
    wrote: metrics.recorded,
  });
  const accessControl = createAccessControl({ backend, now });
  const embeds = createEmbedFeeds({
    hub: viewpoints.own.hub,
    now,
    createFindings,
    onBug: (error) => log.error(errorFields(error), 'an embed ended for a bug'),
  });
  const grants = createGrants({
    env,
    backend,
    store,
    audit,
    viewpoints,
    credentials,
    accessControl,
    now,
    log,
  });
  log.info({ [backend.id]: backend.origin, prefixes: env.prefixes }, 'watching');
  if (env.signIn.keys.length === 0)
    log.info(
      'SIGNALBOX_SECRET is not set: a restart signs everybody out and pauses share links, and replicas share neither',
    );
  return {
    env,
    backend,
    viewpoints,
    arrivals,
    seal: createSeal(env.signIn.keys),
    signIns,
    credentials,
    store,
    audit,
    record,
    history,
    grants,
    webhook,
    embeds,
    auditChain: createChainCheck(audit, now),
    auditCursors: createCursors(env.signIn.keys[0] ?? null),
    limits: createLimits(),
    turns: createTurns(),
    metrics,
    log,
    now,
    accessControl,
    refused: () => togetherRefused(backends, AbortSignal.timeout(togetherMs), accessOf),
    accessWatch: createAccessWatch(accessControl),
    close: async () => {
      grants.watch.close();
      await embeds.close();
      // While the hubs still publish worlds to the follow-ups.
      await record.close();
      await history.close();
      await signIns.close();
      await viewpoints.close();
      await webhook?.close();
      await audit.close();
      await store.close();
      backend.close();
    },
  };
}

interface StartedRuntime {
  readonly runtime: Runtime;
  readonly stamp: string;
}
const place = globalThis as typeof globalThis & { [key: symbol]: StartedRuntime | undefined };
const name = Symbol.for('signalbox.runtime');

/** The runtime, made at the first call. In development, edited sources close it and make another. */
export function runtime(): Runtime {
  const existing = place[name];
  const stamp = sourceStamp();
  if (existing !== undefined && existing.stamp === stamp) return existing.runtime;
  if (existing !== undefined)
    existing.runtime
      .close()
      .catch((error: unknown) => existing.runtime.log.error(errorFields(error), 'close failed'));
  const created = createRuntime();
  place[name] = { runtime: created, stamp };
  return created;
}

/**
 * Ends the runtime at shutdown. The closed runtime stays in place, so that a late request starts no other watch and no
 * other history.
 */
export async function endRuntime(): Promise<void> {
  await place[name]?.runtime.close();
}

/** The next call of `runtime` makes another one. */
export async function closeRuntime(): Promise<void> {
  await endRuntime();
  place[name] = undefined;
}
