/** The actions on a real Redis, without a watch: each test says itself what was remembered. */
import type { Action } from '@/lib/domain/actions/action';
import type { Outcome } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import type { ActContext } from '@/lib/providers/redis/actions/act';
import { applyOn, planOn } from '@/lib/providers/redis/actions/actions';
import { scriptServer } from '@/lib/providers/redis/actions/script-server';
import { type Link, openLink } from '@/lib/providers/redis/client/link';
import type { RedisSettings } from '@/lib/providers/redis/client/settings';
import { requestsOf } from '@/test/provider/requests';

export const source = 'jobs';
const signal = () => AbortSignal.timeout(30_000);

export interface Actor {
  readonly context: ActContext;
  plan(action: Action): Promise<Planned>;
  apply(action: Action, planned: Planned): Promise<Outcome>;
  /** Plans and applies at once. */
  act(action: Action): Promise<Outcome>;
  /** The problem of a plan that must be refused. */
  refused(action: Action): Promise<Problem>;
  /** The problem of an `apply` that must be refused. */
  stale(action: Action, planned: Planned): Promise<Problem>;
  close(): void;
}

function sound<T>(result: T | Problem): T {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
  return result;
}
function problemIn(result: unknown): Problem {
  if (!isProblem(result)) throw new Error(`Not refused: ${JSON.stringify(result)}`);
  return result;
}

type Options = Partial<RedisSettings> & { readonly cluster?: boolean };

/** Of a source of these servers, which watches everything. */
export function settingsFor(
  ports: readonly number[],
  { cluster = false, ...options }: Options = {},
): RedisSettings {
  const [first, ...others] = ports.map((port) => ({ host: '127.0.0.1', port }));
  if (first === undefined) throw new Error('No server.');
  return {
    id: source,
    title: 'Jobs',
    topology: { kind: cluster ? 'cluster' : 'single' },
    endpoints: [first, ...others],
    database: 0,
    tls: null,
    user: null,
    password: null,
    prefixes: [''],
    redlock: ['redlock:'],
    semaphores: [],
    ...options,
  };
}

/** `ports`: of a server, or of a few of a cluster. */
export async function startActor(ports: readonly number[], options: Options = {}): Promise<Actor> {
  const { cluster = false } = options;
  const [first] = ports;
  const settings = settingsFor(ports, options);
  const ended = new AbortController();
  let link: Link | null = null;
  const linked = async () => {
    if (link !== null) return link;
    const opened = await openLink({ settings, signal: ended.signal });
    link = opened;
    void opened.broken.then(() => {
      if (link === opened) link = null;
    });
    return opened;
  };
  await linked();
  const context: ActContext = {
    source,
    settings,
    server: scriptServer(cluster, linked),
    remembered: () => null,
    isShared: () => false,
    locks: () => [],
    woken: () => {},
    took: () => {},
    now: Date.now,
    cli: `redis-cli -p ${first}${cluster ? ' -c' : ''}`,
  };
  const plan = async (action: Action) => sound(await planOn(context, action, signal()));
  const apply = async (action: Action, planned: Planned) =>
    // As over the wire.
    sound(await applyOn(context, action, JSON.parse(JSON.stringify(planned.expect)), signal()));
  return {
    context,
    plan,
    apply,
    act: async (action) => apply(action, await plan(action)),
    refused: async (action) => problemIn(await planOn(context, action, signal())),
    stale: async (action, { expect }) => problemIn(await applyOn(context, action, expect, signal())),
    close: () => {
      link?.close();
      ended.abort();
    },
  };
}

export const { release, removeWaiter, wake, evict, prune, resize, returnPermits } = requestsOf(source);
