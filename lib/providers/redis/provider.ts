/** One Redis as a provider. */
import type { Action } from '@/lib/domain/actions/action';
import type { Provider } from '@/lib/domain/seam/provider';
import type { ActContext } from './actions/act';
import { applyOn, planOn, refusesOf, rightTo, sawIn } from './actions/actions';
import { scriptServer } from './actions/script-server';
import { createActLink } from './client/act-link';
import type { RedisSettings } from './client/settings';
import { type Sight, watchRedis } from './watch/watch';

export interface RedisOptions {
  readonly settings: RedisSettings;
  readonly now: () => number;
  /** Most bytes of all rows together, roughly; for tests. */
  readonly bytesMax?: number;
}

/** The command line for operators, without a password. */
function cliOf({ topology, endpoints: [first], tls, user, database }: RedisSettings): string | null {
  if (topology.kind === 'sentinel') return null;
  return [
    'redis-cli',
    ...(topology.kind === 'cluster' ? ['-c'] : []),
    `-h ${first.host} -p ${first.port}`,
    ...(tls === null ? [] : ['--tls']),
    ...(user === null ? [] : [`--user '${user.replaceAll("'", `'\\''`)}'`]),
    ...(database === 0 ? [] : [`-n ${database}`]),
  ].join(' ');
}

export function createRedisProvider(options: RedisOptions): Provider {
  const { settings, now } = options;
  const { id } = settings;
  const acting = createActLink(settings, now);
  /** The sight of the watch that began last. The hub runs one watch. */
  let sight: Sight | null = null;
  const setSight = (next: Sight | null) => {
    sight = next;
  };
  const context: ActContext = {
    source: id,
    settings,
    server: scriptServer(settings.topology.kind === 'cluster', acting.link),
    remembered: (name) => sight?.remembered(name) ?? null,
    isShared: () => sight?.isShared() ?? false,
    locks: () => sight?.locks() ?? [],
    woken: (name) => sight?.woken(name),
    took: (name, holder, atMs) => sight?.took(name, holder, atMs),
    now,
    cli: cliOf(settings),
  };
  return {
    id,
    watch: (listener, signal) => watchRedis({ ...options, onSight: setSight }, listener, signal),
    plan: (action, signal) => planOn(context, action, signal),
    refuses: refusesOf,
    saw: sawIn,
    apply: (action, expect, signal) => applyOn(context, action, expect, signal),
    rights: (actions: readonly Action[]) => Promise.all(actions.map((action) => rightTo(context, action))),
    close: acting.close,
  };
}
