/** Consul as a backend: the owner of a token, the state of ACLs, and a provider for each token. */

import type { AccessControl } from '@/lib/domain/identity';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend, SignedIn } from '@/lib/domain/seam/backend';
import type { TokenRow } from '@/lib/providers/consul/client/acl';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { systemClock } from '@/lib/providers/consul/client/clock';
import { ConsulError, isControlOff } from '@/lib/providers/consul/client/errors';
import {
  type ConsulSettings,
  origin,
  type RenewalAgents,
  sourceOf,
  withEach,
} from '@/lib/providers/consul/client/settings';
import { createBudget } from '@/lib/providers/consul/client/sockets';
import { createServerHistory } from '@/lib/providers/consul/observed/server-history';
import { createEnds } from '@/lib/providers/consul/observed/sessions-ended-here';
import { createStage } from '@/lib/providers/consul/sight/server-world';
import { createSights, type SightsRoom } from '@/lib/providers/consul/sight/sights';
import { createConsulProvider } from './provider';

export interface ConsulBackendOptions {
  readonly settings: ConsulSettings;
  /** The agents whose log is followed for renewals. */
  readonly renewalAgents: RenewalAgents;
  /** String prefixes to watch; '' for all. */
  readonly prefixes: readonly string[];
  readonly now: () => number;
  /** The number of sources behind the same agent, this one included; 1 by default. */
  readonly among?: number;
  /** Most different rights at a time; by default as many as memory allows. */
  readonly room?: SightsRoom;
}

const nothing = {} as const;
const tokenUnknown: Problem = { code: 'signed-out', why: { code: 'token-unknown', facts: nothing } };
/** Most credentials that see what the server reads. Each costs a question every few seconds. */
const lookersMax = 1_000;
/** Longer than the 7 s for which Consul waits for a leader. */
const signInTimeoutMs = 8_000;
const secretLengthMax = 1_024;
/**
 * Consul's own token for callers without one. Its public secret `anonymous` proves nothing, so as a sign-in it would
 * let in every caller.
 */
const anonymousAccessor = '00000000-0000-0000-0000-000000000002';

/** Any other text is no token, and Node throws at it in a header. */
const sendable = (secret: string) => secret.length <= secretLengthMax && /^[\x21-\x7e]+$/.test(secret);

/** Throws everything else as a bug. */
function failureOf(error: unknown): ConsulError {
  if (error instanceof ConsulError) return error;
  throw error;
}

/** The name for people: the token's description, else its grants, else the start of its public name. */
function nameOf({ accessorId, description, grants }: TokenRow): string {
  const name = description.trim() || grants.join(', ') || accessorId.slice(0, 8);
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

/** Resolves to `null` where ACLs are off. */
async function tokenOf(client: ConsulClient, signal: AbortSignal): Promise<SignedIn | Problem> {
  try {
    const token = await client.token({ signal, timeoutMs: signInTimeoutMs });
    if (token.accessorId === anonymousAccessor) return tokenUnknown;
    return { id: token.accessorId, name: nameOf(token), endsAtMs: token.expiresAtMs };
  } catch (error) {
    const failure = failureOf(error);
    if (isControlOff(failure)) return { code: 'invalid', why: { code: 'no-sign-in-here', facts: nothing } };
    return failure.problem;
  }
}

/**
 * Asks again about an unknown token. A server that has just started knows no token until there is a leader, which must
 * not sign a person out.
 */
async function surelyTokenOf(client: ConsulClient, signal: AbortSignal): Promise<SignedIn | Problem> {
  const answer = await tokenOf(client, signal);
  if (!isProblem(answer) || answer.code !== 'signed-out') return answer;
  try {
    const leader = await client.leader({ signal, timeoutMs: signInTimeoutMs });
    if (leader === null) return { code: 'no-leader', why: { code: 'no-leader-now', facts: nothing } };
  } catch (error) {
    return failureOf(error).problem;
  }
  return tokenOf(client, signal);
}

export function createConsulBackend({
  settings,
  renewalAgents,
  prefixes,
  now,
  among,
  room,
}: ConsulBackendOptions): Backend {
  const source = sourceOf(settings);
  const budget = createBudget(settings, { prefixes, renewalAgents, among });
  const { sockets } = budget;
  const own = createConsulClient(settings, { sockets });
  const ends = createEnds(now);
  const elder = createServerHistory();
  const clock = { ...systemClock, now };
  const stage = createStage({ client: own, prefixes, clock });
  const sights = createSights({ stage, clock, room });
  return {
    id: source.id,
    sources: [source],
    origin:
      settings.datacenter === undefined ? origin(settings) : `${origin(settings)}?dc=${settings.datacenter}`,
    asks: true,
    hasOwnCredential: settings.token !== null,
    get credentialsMax() {
      return stage.width === 'wide' ? lookersMax : budget.credentialsMax;
    },
    get seesAll() {
      return ({ wide: 'yes', narrow: 'no', pending: 'unknown' } as const)[stage.width];
    },
    accessControl: async (signal): Promise<AccessControl> => {
      try {
        await own.token({ signal });
        return 'on';
      } catch (error) {
        if (signal.aborted) return 'unknown';
        const failure = failureOf(error);
        // The rules endpoint answers 403 for an unknown or missing token. A proxy answers 404.
        return isControlOff(failure) ? 'off' : failure.status === 403 ? 'on' : 'unknown';
      }
    },
    signIn: async (secret, signal) => {
      if (!sendable(secret)) return tokenUnknown;
      const client = createConsulClient({ ...settings, token: secret }, { sockets });
      try {
        return await surelyTokenOf(client, signal);
      } finally {
        client.close();
      }
    },
    provider: (secret, from = () => '') =>
      createConsulProvider({
        settings: secret === null ? settings : { ...settings, token: secret },
        renewalAgents:
          secret === null ? renewalAgents : withEach(renewalAgents, (a) => ({ ...a, token: secret })),
        prefixes,
        now,
        sockets,
        ends,
        stage,
        ...(secret === null ? { elderOf: elder } : { elder, sights, from }),
      }),
    close: () => {
      own.close();
      sockets.close();
    },
  };
}
