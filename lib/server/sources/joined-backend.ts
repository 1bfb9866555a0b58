/**
 * Several backends as one, so that everything above the seam knows one. Worlds are merged, states summed up, and what
 * names a source goes to that source.
 *
 * People sign in to one source: the first that may ask for credentials. The others are shown to everyone who may look
 * here, and only while they ask for none (`gate.ts`).
 */
import type { AccessControl } from '@/lib/domain/identity';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider, SharedWatch } from '@/lib/domain/seam/provider';
import type { SourceId } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';
import { createFanOut } from './fan-out';
import { createGate, type Gate } from './gate';
import { createJoinedProvider, type Member } from './joined-provider';

/** A source that nothing is known of yet. */
function unreadOf({ sources, origin }: Backend): SourceState {
  const [source] = sources;
  return {
    id: source?.id ?? '',
    title: source?.title ?? '',
    provider: source?.kind ?? '',
    datacenter: null,
    origin,
    state: 'catching-up',
    lastContactMs: null,
    staleSinceMs: null,
    endsSeenSinceMs: null,
    restoredAtMs: null,
    renewals: [],
    problem: null,
  };
}

/** One source beside the first, by the server's own credential. */
interface Beside {
  readonly backend: Backend;
  readonly provider: Provider;
  readonly gate: Gate;
}

function besideOf(backend: Backend): Beside {
  const provider = backend.provider(null);
  const unread = unreadOf(backend);
  const watch: Provider['watch'] = (listener, signal) => provider.watch(listener, signal);
  const open: Gate = { watch, refused: async () => null };
  const gate = backend.asks ? createGate({ backend, watch, unread }) : open;
  // One gate and one watch for everyone: what they decide and show is the same for all.
  return { backend, provider, gate: { ...gate, watch: createFanOut(gate.watch) } };
}

/** All must answer alike; one that asks is enough. */
function joinedControl(all: readonly AccessControl[]): AccessControl {
  if (all.includes('on')) return 'on';
  return all.includes('unknown') ? 'unknown' : 'off';
}

/** `backends`: at least one; a single one is returned as it is. */
export function joinBackends(backends: readonly [Backend, ...Backend[]]): Backend {
  const [only, ...more] = backends;
  if (more.length === 0) return only;
  const first = backends.find(({ asks }) => asks) ?? only;
  const beside = backends.filter((one) => one !== first).map(besideOf);
  /** The same joined watch for everyone whom the first source shows the same. */
  const shared = new WeakMap<SharedWatch, SharedWatch>();
  const memberOf = ({ backend, provider, gate }: Beside): Member => ({
    id: idOf(backend),
    provider,
    watch: gate.watch,
    refused: gate.refused,
    unread: unreadOf(backend),
  });
  const members = beside.map(memberOf);
  return {
    id: 'sources',
    sources: backends.flatMap(({ sources }) => sources),
    origin: backends.map(({ origin }) => origin).join(', '),
    asks: first.asks,
    get hasOwnCredential() {
      return backends.some(({ hasOwnCredential }) => hasOwnCredential);
    },
    get credentialsMax() {
      return first.credentialsMax;
    },
    get seesAll() {
      return first.seesAll;
    },
    accessControl: (signal) => first.accessControl(signal),
    signIn: (secret, signal) => first.signIn(secret, signal),
    provider: (secret, from) => {
      const provider = first.provider(secret, from);
      return createJoinedProvider({
        first: {
          id: idOf(first),
          provider,
          watch: (listener, signal) => provider.watch(listener, signal),
          refused: async () => null,
          unread: unreadOf(first),
        },
        beside: members,
        shared,
      });
    },
    close: () => {
      for (const { provider } of beside) provider.close();
      for (const backend of backends) backend.close();
    },
  };
}

const idOf = ({ sources }: Backend): SourceId => sources[0]?.id ?? '';

/**
 * Why these sources cannot be watched together, in one sentence; `null`: they can, as far as they answer. Asked once at
 * the start; `gate.ts` holds afterwards.
 */
export async function togetherRefused(
  backends: readonly Backend[],
  signal: AbortSignal,
): Promise<string | null> {
  const asking = backends.filter(({ asks }) => asks);
  if (asking.length < 2) return null;
  const controls = await Promise.all(asking.map((backend) => backend.accessControl(signal)));
  const on = asking.filter((_, i) => controls[i] === 'on').map(idOf);
  if (on.length > 1)
    return `SIGNALBOX_SOURCES: ${on.join(' and ')} both ask for tokens. Signalbox signs people in to one source; run one console for each.`;
  return on.length === 1 && joinedControl(controls.slice(0, 1)) !== 'on'
    ? `SIGNALBOX_SOURCES: ${on[0]} asks for tokens, so it must stand before ${asking[0] === undefined ? 'the others' : idOf(asking[0])}.`
    : null;
}
