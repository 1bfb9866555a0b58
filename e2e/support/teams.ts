/**
 * An agent with ACLs and two teams, each with a prefix and a node of its own, and everything that an action can be done
 * to. Whatever belongs to the second team has its mark in its name, so that one search finds what slipped through.
 */
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul, type TestConsul } from '@/test/support/consul';

export const teams = ['red', 'zebrafish'] as const;
export type Team = (typeof teams)[number];
/** In every key, node, session name and value of the second team, and nowhere else. */
export const mark = 'zebrafish';

/** One of each thing that an action is about, all below one prefix. Names only, but for the sessions. */
export interface Places {
  readonly prefix: string;
  /** Held, to be released. */
  readonly release: string;
  /** Held, to be handed over. */
  readonly handOver: string;
  /** A free lock. */
  readonly idle: string;
  /** A semaphore with a holder and a ghost. */
  readonly pool: string;
  readonly holder: string;
  /** An idle semaphore. */
  readonly empty: string;
  /** A session that holds nothing. */
  readonly session: string;
}

export interface Teams {
  readonly consul: TestConsul;
  /** A token with these rules; its secret and its public id. */
  token(name: string, rules: string): Promise<{ readonly secret: string; readonly id: string }>;
  revoke(id: string): Promise<void>;
  furnish(team: Team, name: string): Promise<Places>;
  /** Ids of all sessions of a team. */
  sessionsOf(team: Team): readonly string[];
}

/** A team's rights to look, and to do everything. */
export const rulesOf = (team: Team, policy: 'read' | 'write') => `
key_prefix "${team}/" { policy = "${policy}" }
session "${team}-node" { policy = "${policy}" }
node "${team}-node" { policy = "read" }
`;

const ghost = '90c02f1e-7f0e-4d33-93c5-e16d4a406027';

/** Starts the agent; `consul.stop()` ends it all. */
export async function startTeams(): Promise<Teams> {
  const consul = await startConsul({ acl: true });
  const root = consul.client();
  const sessions: Record<Team, string[]> = { red: [], zebrafish: [] };

  const request = async (path: string, body?: unknown, method = 'PUT'): Promise<unknown> => {
    const response = await fetch(`http://${consul.address}/v1/${path}`, {
      method,
      headers: { 'x-consul-token': consul.token ?? '' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  // Without Serf's own check: Consul takes those away, a minute later, that are no members.
  for (const team of teams) await request('catalog/register', { Node: `${team}-node`, Address: '127.0.0.1' });

  const session = async (team: Team, name: string) => {
    const id = await root.createSession({
      name: `${team}-${name}`,
      node: `${team}-node`,
      // Nobody renews them: they live as long as the run.
      ttlMs: 3_600_000,
      behavior: 'release',
      lockDelayMs: 0,
      checks: [],
    });
    sessions[team].push(id);
    return id;
  };
  const put = async (key: string, value: string | Buffer, flags = '0', holder: string | null = null) => {
    const outcome = await root.txn([
      holder === null
        ? { verb: 'set', key, value: Buffer.from(value), flags }
        : { verb: 'lock', key, value: Buffer.from(value), flags, session: holder },
    ]);
    if (!outcome.done) throw new Error(`${key} could not be written.`);
  };

  return {
    consul,
    token: async (name, rules) => {
      const policy = (await request('acl/policy', { Name: name.replaceAll(/\W/g, '-'), Rules: rules })) as {
        ID: string;
      };
      const made = (await request('acl/token', {
        Description: name,
        Policies: [{ ID: policy.ID }],
      })) as { SecretID: string; AccessorID: string };
      return { secret: made.SecretID, id: made.AccessorID };
    },
    revoke: async (id) => void (await request(`acl/token/${id}`, undefined, 'DELETE')),
    furnish: async (team, name) => {
      const prefix = `${team}/${name}`;
      const places = {
        prefix,
        release: `${prefix}/release`,
        handOver: `${prefix}/hand-over`,
        idle: `${prefix}/idle`,
        pool: `${prefix}/pool`,
        empty: `${prefix}/empty`,
      };
      const holder = await session(team, 'holder');
      await put(places.release, team, lockFlags, await session(team, 'release'));
      // Holds the one and waits for the other: a reader of both sees the wait.
      const waiter = await session(team, 'hand-over');
      await put(places.handOver, team, lockFlags, waiter);
      await put(`${places.pool}/${waiter}`, team, semaphoreFlags, waiter);
      await put(places.idle, team, lockFlags);
      await put(`${places.pool}/${holder}`, team, semaphoreFlags, holder);
      await put(`${places.pool}/.lock`, newCoordination('map', 3, [holder, ghost]), semaphoreFlags);
      await put(`${places.empty}/.lock`, newCoordination('map', 2, []), semaphoreFlags);
      return { ...places, holder, session: await session(team, 'spare') };
    },
    sessionsOf: (team) => sessions[team],
  };
}
