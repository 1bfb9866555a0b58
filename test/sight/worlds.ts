/**
 * Random worlds in a real Consul, and random policies about them. Every name that may be hidden has a word of its own
 * in it, so that it is found in bytes anywhere.
 */
import { randomUUID } from 'node:crypto';
import type { TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { callsOf } from './calls';
import { deadMachine } from './dead-machine';
import { type Chance, createChoice, type Place, policyBy } from './policies';
import { sessionNameOf } from './session-name';
import type { Ended, Live, Node, Ring, World } from './shape';

const lockFlags = '3304740253564472344';
const semaphoreFlags = '16210313421097356768';

const placesPerFolder = 16;

export async function createWorld(consul: TestConsul, chance: Chance): Promise<World> {
  const words = new Set<string>([consul.nodeName]);
  const ids = new Set<string>();
  const word = () => {
    let made = 'zq';
    while (made.length < 10) made += Math.floor(chance() * 36).toString(36);
    words.add(made);
    return made;
  };
  const { chosen, often } = createChoice(chance);

  const { call, kv } = callsOf(consul);

  // --- what there may be -------------------------------------------------------------------------------------------
  const folders = Array.from({ length: 3 }, () => `f-${word()}`);
  const places: Place[] = [];
  for (const folder of folders) {
    const below = `${folder}/s-${word()}`;
    for (let i = 0; i < placesPerFolder; i += 1) {
      const path = `${often(0.6) ? folder : below}/${word()}`;
      const kind = chosen([
        'lock',
        'lock',
        'terraform',
        'command',
        'leader',
        'semaphore',
        'semaphore',
      ] as const);
      places.push({ kind, path });
      // A string prefix of its name is the other one's name: `red/side` and `red/sideB`.
      if (kind === 'semaphore' && often(0.4)) places.push({ kind, path: `${path}B-${word()}` });
    }
  }
  const regions = [word(), word()];
  const makeNode = (): Node => ({ name: `n-${chosen(regions)}-${word()}`, checks: [] });
  const nodes: Node[] = [...Array.from({ length: 4 }, makeNode), { name: consul.nodeName, checks: [] }];
  const services = Array.from({ length: 5 }, () => `${chosen(regions)}-svc-${word()}`);

  const lockKeys = new Set<string>();
  const semaphores = new Set<string>();
  const ended: Ended[] = [];
  const live = new Map<string, Live>();
  const held = new Map<string, string | null>();
  const written = new Map<string, string | Buffer>();
  const rings = new Map<string, Ring>();
  let steps = 0;
  let touched = new Set<string>();
  const once = <T extends string>(names: Iterable<T>): T | null => {
    const open = [...names].filter((name) => !touched.has(name));
    if (open.length === 0) return null;
    const name = chosen(open);
    touched.add(name);
    return name;
  };

  // --- nodes, checks, sessions -------------------------------------------------------------------------------------
  const register = (node: string, more: object = {}) =>
    call(
      'PUT',
      'catalog/register',
      JSON.stringify({ Node: node, Address: '10.0.0.1', SkipNodeUpdate: false, ...more }),
    );
  const statuses = new Map<string, string>();
  const putCheck = async (node: Node, check: Node['checks'][number]) => {
    const status = statuses.get(check.id) ?? 'passing';
    await register(node.name, {
      ...(check.service === '' ? {} : { Service: { ID: check.service, Service: check.service } }),
      Check: {
        Node: node.name,
        CheckID: check.id,
        Name: check.name,
        Status: status,
        ...(check.service === '' ? {} : { ServiceID: check.service }),
      },
    });
  };
  const newCheck = async (node: Node) => {
    const check = {
      id: `check-${word()}`,
      name: `name of ${word()}`,
      service: often(0.6) ? chosen(services) : '',
    };
    await putCheck(node, check);
    node.checks.push(check);
    return check;
  };
  const far = () => chosen(nodes.slice(0, 4));
  const newSession = async (
    name = `session ${word()}`,
    on?: Node,
    bound?: Node['checks'][number],
    ending?: Live['behavior'],
  ): Promise<Live> => {
    const node = on ?? chosen(nodes);
    const check = bound ?? (often(0.4) && node.checks.length > 0 ? chosen(node.checks) : undefined);
    const behavior = ending ?? (often(0.5) ? 'release' : 'delete');
    const asked = JSON.stringify({
      Node: node.name,
      Name: name,
      Behavior: behavior,
      LockDelay: often(0.4) ? '30s' : '0s',
      ...(often(0.4) ? { TTL: '3600s' } : {}),
      NodeChecks: check === undefined || check.service !== '' ? [] : [check.id],
      ServiceChecks: check === undefined || check.service === '' ? [] : [{ ID: check.id }],
    });
    // A busy agent may not have registered its own node yet.
    const create = () => call('PUT', 'session/create', asked) as Promise<{ ID: string }>;
    const { ID: id } = await until(create, { what: 'a session' });
    const made: Live = { id, name, node: node.name, behavior, locks: new Set() };
    ids.add(id);
    live.set(id, made);
    touched.add(id);
    return made;
  };

  // --- locks -------------------------------------------------------------------------------------------------------
  const value = (): string | Buffer => {
    if (often(0.2)) return Buffer.from(`\u0000${word()}`);
    if (often(0.3)) return `text ${word()}`;
    return JSON.stringify({ owner: `o-${word()}`, note: word() });
  };
  const acquire = async (session: Live, key: string, bytes: string | Buffer, flags = lockFlags) => {
    await kv(key, bytes, `acquire=${session.id}&flags=${flags}`);
    session.locks.add(key);
    written.set(key, bytes);
    // Its end in the same step would delete the value, which is asked for too late.
    for (const one of [key, session.id]) touched.add(one);
  };
  const newLock = async ({ kind, path }: Place, by?: Live) => {
    const key =
      kind === 'terraform' || kind === 'command'
        ? `${path}/.lock`
        : kind === 'leader'
          ? `${path}/leader`
          : path;
    lockKeys.add(key);
    touched.add(key);
    const member = `m-${word()}`;
    const named = sessionNameOf(chance, { kind, path, key, member, word });
    const session = by ?? (await newSession(named));
    if (kind === 'terraform') {
      await acquire(session, key, '');
      const id = randomUUID();
      ids.add(id);
      const info = {
        ID: id,
        Operation: `Op${word()}`,
        Info: `consul session: ${session.id}`,
        Who: `${word()}@host`,
        Created: '2026-01-02T03:04:05Z',
        Path: path,
      };
      await kv(`${key}info`, JSON.stringify(info), 'flags=0');
    } else if (kind === 'leader') {
      if (often(0.6)) await kv(`${path}/members/${member}`, JSON.stringify({ note: word() }), 'flags=0');
      await acquire(session, key, member, '0');
    } else await acquire(session, key, value(), often(0.8) ? lockFlags : '0');
    held.set(key, session.id);
    // Not under a viewer: the holder would show for a moment, and be asked for too late.
    if (steps === 0 && often(0.3)) await letGo(key);
  };
  const letGo = async (key: string) => {
    const id = held.get(key) ?? '';
    // A release writes the value again. Another value would be there for a moment only, and asked for too late.
    await kv(key, written.get(key) ?? '', `release=${id}`);
    live.get(id)?.locks.delete(key);
    held.set(key, null);
  };

  // --- semaphores --------------------------------------------------------------------------------------------------
  const record = (path: string, { limit, recorded, flags }: Ring) =>
    kv(
      `${path}/.lock`,
      JSON.stringify({ Limit: limit, Holders: Object.fromEntries(recorded.map((id) => [id, true])) }),
      `flags=${flags}`,
    );
  const contend = async (path: string, ring: Ring) => {
    const flags = ring.contend === 'mixed' ? chosen([ring.flags, semaphoreFlags]) : ring.flags;
    // Without the flags of Go's client an entry that is let go looks like a lock.
    const ending = flags === semaphoreFlags ? undefined : 'delete';
    const session = await newSession(undefined, undefined, undefined, ending);
    // Some share a name, and differ by their sessions.
    const bytes = often(0.3) ? JSON.stringify({ owner: ring.owner }) : value();
    await acquire(session, `${path}/${session.id}`, bytes, flags);
    ring.contenders.add(session.id);
    return session;
  };
  const newSemaphore = async (path: string) => {
    semaphores.add(path);
    touched.add(path);
    const isWritten = often(0.85);
    const ring: Ring = {
      limit: 1 + Math.floor(chance() * 3),
      recorded: [],
      contenders: new Set(),
      isWritten,
      flags: isWritten && often(0.4) ? '0' : semaphoreFlags,
      contend: often(0.6) ? 'mixed' : 'alike',
      owner: `o-${word()}`,
    };
    for (let i = 0; i < 3; i += 1) {
      const { id } = await contend(path, ring);
      if (often(0.5)) ring.recorded.push(id);
    }
    if (often(0.3)) {
      const ghost = often(0.5) ? randomUUID() : (await newSession()).id;
      ids.add(ghost);
      ring.recorded.push(ghost);
    }
    // Locks nothing but an entry of the neighbour, whose key begins alike.
    const beside = [...rings].find(([other]) => other.startsWith(`${path}B`));
    const neighbour = [...(beside?.[1].contenders ?? [])][0];
    if (neighbour !== undefined) ring.recorded.push(neighbour);
    if (often(0.3)) {
      const left = randomUUID();
      ids.add(left);
      await kv(`${path}/${left}`, value(), `flags=${semaphoreFlags}`);
    }
    rings.set(path, ring);
    if (ring.isWritten) await record(path, ring);
  };
  const ringNamed = () => once([...rings].filter(([, { isWritten }]) => isWritten).map(([path]) => path));

  const next = () => {
    const at = places.findIndex(({ path }) => !made.has(path));
    const place = places[at];
    if (place !== undefined) made.add(place.path);
    return place;
  };
  const made = new Set<string>();
  const ops: readonly (() => Promise<unknown>)[] = [
    async () => {
      const place = next();
      if (place !== undefined) await (place.kind === 'semaphore' ? newSemaphore(place.path) : newLock(place));
    },
    // A check of a service that is new on this node, and at once a session that lives by it.
    async () => {
      const place = next();
      if (place === undefined) return;
      if (place.kind === 'semaphore') return newSemaphore(place.path);
      const node = far();
      const check = await newCheck(node);
      await newLock(place, await newSession(undefined, node, check));
    },
    async () => {
      const key = once([...held].filter(([, id]) => id !== null && !touched.has(id)).map(([key]) => key));
      if (key !== null) await letGo(key);
    },
    async () => {
      const key = once([...held].filter(([, id]) => id !== null).map(([key]) => key));
      const session = live.get((key && held.get(key)) ?? '');
      if (key !== null && session !== undefined) await acquire(session, key, value());
    },
    async () => {
      const key = once(held.keys());
      if (key === null) return;
      await call('DELETE', `kv/${key}`);
      live.get(held.get(key) ?? '')?.locks.delete(key);
      held.delete(key);
    },
    async () => {
      const one = [...live.values()].filter(({ id, locks }) => !touched.has(id) && locks.size > 0);
      if (one.length === 0) return;
      const session = chosen(one);
      touched.add(session.id);
      await call('PUT', `session/destroy/${session.id}`);
      live.delete(session.id);
      for (const ring of rings.values()) ring.contenders.delete(session.id);
      for (const key of session.locks)
        if (session.behavior === 'delete') held.delete(key);
        else if (held.has(key)) held.set(key, null);
      ended.push({ ...session, keys: [...session.locks] });
    },
    async () => {
      const path = ringNamed();
      const ring = rings.get(path ?? '');
      if (path !== null && ring !== undefined) await contend(path, ring);
    },
    async () => {
      const path = ringNamed();
      const ring = rings.get(path ?? '');
      if (path === null || ring === undefined) return;
      const waiting = [...ring.contenders].filter((id) => !ring.recorded.includes(id));
      if (often(0.4)) ring.limit = 1 + Math.floor(chance() * 4);
      if (often(0.5) && waiting.length > 0) ring.recorded.push(chosen(waiting));
      else ring.recorded.splice(Math.floor(chance() * ring.recorded.length), 1);
      await record(path, ring);
    },
    async () => {
      const node = far();
      const check = node.checks.length === 0 ? undefined : chosen(node.checks);
      if (check === undefined || touched.has(check.id)) return;
      touched.add(check.id);
      statuses.set(check.id, statuses.get(check.id) === 'warning' ? 'passing' : 'warning');
      await putCheck(node, check);
    },
  ];

  const step = async (): Promise<void> => {
    touched = new Set();
    steps += 1;
    const count = 5 + Math.floor(chance() * 4);
    for (let i = 0; i < count; i += 1) await chosen(ops)();
  };
  // All that is bound to the first one is doubtful.
  const dead = await deadMachine(consul, (nodes[0] as Node).name);
  for (const node of nodes.slice(1, 4)) await register(node.name);
  for (const node of nodes.slice(0, 4)) for (let i = 0; i < 2; i += 1) await newCheck(node);
  // Neighbours first, so that one entry also counts for another.
  places.sort(() => chance() - 0.5);
  for (let i = 0; i < 14; i += 1) await (ops[0] as () => Promise<unknown>)();
  return {
    words,
    ids,
    lockKeys,
    semaphores,
    ended,
    step,
    policy: () =>
      policyBy(chance, { folders, places, regions, nodeNames: nodes.map(({ name }) => name), services }),
    clear: async () => {
      for (const id of live.keys()) await call('PUT', `session/destroy/${id}`);
      for (const folder of folders) await call('DELETE', `kv/${folder}?recurse`);
      for (const { name } of nodes.slice(0, 4))
        await call('PUT', 'catalog/deregister', JSON.stringify({ Node: name }));
      await dead.stop();
    },
  };
}
