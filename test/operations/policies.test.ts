/** The policies of `docs/operations.md`, read out of the document: they suffice, and none of their rules is too many. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { World } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createConsulProvider } from '@/lib/providers/consul/provider';
import { contender, entry, fresh, heldLock, planned, problem, recorded, signal } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const document = readFileSync('docs/operations.md', 'utf8');

/** Policies by the name that stands beside `hcl`; each line of one is a rule. */
const policies = new Map(
  [...document.matchAll(/^```hcl (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [
    name,
    text.trim().split('\n'),
  ]),
);
const rulesOf = (name: string) => {
  const rules = policies.get(name);
  if (rules === undefined) throw new Error(`docs/operations.md has no policy ${name}.`);
  return rules;
};
const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
/** The needs of each action, by its words in the audit. */
const needs = new Map(
  document.split('\n').flatMap((line): [string, string[]][] => {
    const [, , action = '', policy = ''] = line.split('|');
    return /^\| .* \| `(lock|session|semaphore|probe)/.test(line)
      ? [[codes(action).join(' '), codes(policy)]]
      : [];
  }),
);

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

const put = async (path: string, body: object) => {
  const response = await fetch(`http://${consul.address}/v1/${path}`, {
    method: 'PUT',
    headers: { 'x-consul-token': consul.token ?? '' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  const text = await response.text();
  return (text === '' ? {} : JSON.parse(text)) as { ID: string; SecretID: string };
};

/** A provider as the server makes one, with a token of exactly these policies. */
async function providerWith(...rules: readonly (readonly string[])[]): Promise<Provider> {
  const Policies = await Promise.all(
    rules.map(async (lines) => ({
      ID: (await put('acl/policy', { Name: fresh('policy'), Rules: lines.join('\n') })).ID,
    })),
  );
  const { SecretID } = await put('acl/token', { Policies });
  return createConsulProvider({
    settings: { ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }), token: SecretID },
    prefixes: [''],
    now: Date.now,
  });
}

describe('viewing', () => {
  const key = 'view/lock';
  let id: string;
  let renewing: NodeJS.Timeout;
  beforeAll(async () => {
    await put('agent/service/register', { Name: 'worker', Check: { TTL: '10m', Status: 'passing' } });
    await until(
      async () =>
        (await root.checks()).value.some((c) => c.checkId === 'service:worker' && c.status === 'passing'),
      { what: 'the check of the service' },
    );
    id = await root.createSession({
      name: 'seen',
      ttlMs: 60_000,
      behavior: 'release',
      lockDelayMs: 0,
      checks: ['serfHealth', 'service:worker'],
    });
    expect(await root.acquire({ key, session: id, flags: '0', value: Buffer.from('x') })).toBe(true);
    renewing = setInterval(() => void root.renewSession(id).catch(() => {}), 500);
  });
  afterAll(() => clearInterval(renewing));

  const everything = {
    live: true,
    locks: true,
    sessions: true,
    nodes: true,
    services: true,
    renewals: true,
    datacenter: true,
  };
  function seen(world: World | null, source: SourceState | null): typeof everything {
    const session = world?.sessions.find((one) => one.id === id);
    return {
      live: source?.state === 'live',
      locks: world?.locks.find((lock) => lock.key === key)?.holder?.sessionId === id,
      sessions: session?.name === 'seen',
      nodes: session?.nodeStatus === 'passing',
      services: session?.checks.some((c) => c.name.includes('worker') && c.status === 'passing') ?? false,
      renewals: source?.renewals.every(({ state }) => state === 'observed') ?? false,
      datacenter: source !== null && source.datacenter !== null,
    };
  }

  /** Resolves when the provider sees exactly this. */
  async function sees(provider: Provider, expected: typeof everything, verdict?: string): Promise<void> {
    let world: World | null = null;
    let source: SourceState | null = null;
    const end = new AbortController();
    const watching = provider.watch(
      {
        world: (next) => {
          world = next;
        },
        source: (next) => {
          source = next;
        },
      },
      end.signal,
    );
    try {
      await until(
        () => {
          const now = seen(world, source);
          if (!isDeepStrictEqual(now, expected)) throw new Error(`It sees ${JSON.stringify(now)}`);
          const holder = (world as World | null)?.locks.find((lock) => lock.key === key)?.holder;
          return verdict === undefined || `${holder?.verdict} ${holder?.expiry.kind}` === verdict;
        },
        { what: 'what this policy shows' },
      );
    } finally {
      end.abort();
      await watching;
      provider.close();
    }
  }

  test('the policy for viewing shows everything: locks, sessions, their health, renewals and the verdict', async () => {
    await sees(await providerWith(rulesOf('viewing')), everything, 'alive observed');
  });

  const missing: Readonly<Record<string, Partial<typeof everything>>> = {
    key_prefix: { locks: false },
    session_prefix: { sessions: false, nodes: false, services: false },
    node_prefix: { nodes: false, services: false },
    service_prefix: { services: false },
    agent_prefix: { renewals: false, datacenter: false },
  };
  test('each rule of it has a use that is known here', () => {
    expect(rulesOf('viewing').map((rule) => rule.split(' ')[0])).toEqual(Object.keys(missing));
  });
  test.each(Object.entries(missing))('without its rule %s it shows less', async (resource, less) => {
    const rules = rulesOf('viewing').filter((rule) => !rule.startsWith(`${resource} `));
    await sees(await providerWith(rules), { ...everything, ...less });
  });
});

describe('actions', () => {
  const name = (kind: string) => fresh(`team-a/${kind}`);
  const lock = async () => heldLock(root, { key: name('lock') });
  /** A semaphore with one holder, and a ghost where asked for. */
  const semaphore = async ({ ghost = false, held = true } = {}) => {
    const prefix = name('semaphore');
    const holder = held ? await contender(root, prefix) : null;
    const ids = [...(holder === null ? [] : [holder]), ...(ghost ? [crypto.randomUUID()] : [])];
    const holders = Object.fromEntries(ids.map((id) => [id, true]));
    await entry(root, prefix, JSON.stringify({ Limit: 2, Holders: holders }));
    return { prefix, sessionId: holder ?? '' };
  };
  /** Each makes something to act on that nothing else touches. */
  const cases: Readonly<Record<string, () => Promise<Action>>> = {
    'lock.release destroy-session': async () => ({
      type: 'lock.release',
      source: 'consul',
      key: (await lock()).key,
      how: 'destroy-session',
    }),
    'lock.release hand-over': async () => ({
      type: 'lock.release',
      source: 'consul',
      key: (await lock()).key,
      how: 'hand-over',
    }),
    'session.destroy': async () => ({
      type: 'session.destroy',
      source: 'consul',
      sessionId: (await lock()).id,
    }),
    'semaphore.evict destroy-session': async () => ({
      type: 'semaphore.evict',
      source: 'consul',
      ...(await semaphore()),
      how: 'destroy-session',
    }),
    'semaphore.evict slot-only': async () => ({
      type: 'semaphore.evict',
      source: 'consul',
      ...(await semaphore()),
      how: 'slot-only',
    }),
    'semaphore.prune': async () => ({
      type: 'semaphore.prune',
      source: 'consul',
      prefixes: [(await semaphore({ ghost: true })).prefix],
    }),
    'semaphore.resize': async () => ({
      type: 'semaphore.resize',
      source: 'consul',
      prefix: (await semaphore()).prefix,
      limit: 5,
    }),
    'lock.delete': async () => {
      const { key, id } = await lock();
      await root.destroySession(id);
      return { type: 'lock.delete', source: 'consul', key };
    },
    'semaphore.delete': async () => ({
      type: 'semaphore.delete',
      source: 'consul',
      prefix: (await semaphore({ held: false })).prefix,
    }),
  };

  test('the document says of every action what it needs', () => {
    expect([...needs.keys()].sort()).toEqual([...Object.keys(cases), 'probe'].sort());
  });

  const apply = async (provider: Provider, action: Action) => {
    const plan = await provider.plan(action, signal());
    return isProblem(plan) ? plan : provider.apply(action, planned(plan).expect, signal());
  };
  const ruled = (action: string) => (needs.get(action) ?? []).flatMap(rulesOf);

  test.each(Object.entries(cases))('%s works with its policy', async (name, make) => {
    const provider = await providerWith(rulesOf('reader'), ruled(name));
    const action = await make();
    expect(await provider.rights?.([action], signal()), 'what is said before').toMatchObject([
      { right: 'yes' },
    ]);
    expect(await apply(provider, action)).toMatchObject({ done: true });
    provider.close();
  });

  const minusOne = Object.entries(cases).flatMap(([name, make]) =>
    ruled(name).map((without) => ({ name, without, make })),
  );
  test.each(minusOne)('$name is refused without $without', async ({ name, without, make }) => {
    const provider = await providerWith(
      rulesOf('reader'),
      ruled(name).filter((rule) => rule !== without),
    );
    const action = await make();
    expect(await provider.rights?.([action], signal()), 'what is said before').not.toMatchObject([
      { right: 'yes' },
    ]);
    const refused = problem(await apply(provider, action));
    expect(refused.code).toBe('forbidden');
    // Not half done either: a session that was ended with its record left would be.
    if (action.type === 'semaphore.evict')
      expect(await recorded(root, action.prefix)).toEqual([action.sessionId]);
    provider.close();
  });

  test('a probe works with its policy, and is refused to a reader', async () => {
    const key = name('probed');
    const operator = await providerWith(rulesOf('reader'), ruled('probe'));
    expect(await operator.probe?.({ source: 'consul', key }, signal())).toMatchObject({
      answer: 'not-delayed',
    });
    const reader = await providerWith(rulesOf('reader'));
    expect(await reader.probe?.({ source: 'consul', key }, signal())).toMatchObject({ code: 'forbidden' });
    operator.close();
    reader.close();
  });

  test('an operator of one prefix writes nothing beside it', async () => {
    const provider = await providerWith(rulesOf('reader'), rulesOf('entries'), rulesOf('sessions'));
    const { key, id } = await heldLock(root, { key: fresh('team-b/lock') });
    const refused = problem(
      await apply(provider, { type: 'lock.release', source: 'consul', key, how: 'hand-over' }),
    );
    expect(refused.code).toBe('not-found');
    expect((await root.get(key)).value?.session).toBe(id);
    provider.close();
  });
});
