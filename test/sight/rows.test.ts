/**
 * Rows of the truth table, each looked at by readers of four narrow kinds of rights and by one of everything: the
 * visible part is as true as the full view, nothing hidden is named, and nothing hidden counts as absent.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sightOf } from '@/components/live/unproven-absence';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { AllMessages } from '@/lib/i18n/messages';
import { rowLimitMs } from '@/quality/truth/look';
import { type Claims, lockAt, type Never, semaphoreAt } from '@/quality/truth/situation';
import { type Stage, setStage } from '@/quality/truth/stage';
import { startWitness, type Witness } from '@/quality/truth/witness';
import { serverOn, signedIn } from '@/test/identity/server';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import {
  emptyCounts,
  faultsOf,
  mayBeListed,
  mayBePart,
  type Rights,
  saidWrongly,
  subjectRow,
} from './narrow';
import { type Hole, rows, situationOf } from './row-list';

/** Holders are on nodes that one of the readers may not see; those who wait are on the server's own. */
const [dark, far] = ['dark-node', 'far-node'];

/** The first session of a row is on the dark node, where it names no other. */
function darkened(stage: Stage): Stage {
  let made = 0;
  const place = <O extends { readonly node?: string }>(options?: O) => {
    made += 1;
    return made === 1 ? { node: dark, ...options } : (options ?? {});
  };
  return {
    ...stage,
    session: (options) => stage.session(place(options)),
    contender: (prefix, options) => stage.contender(prefix, place(options)),
  };
}

const consul = await startConsul({ acl: true });
const farAgent = await startConsul({ beside: consul, nodeName: far });
// A node that no agent stands for is taken out of the catalog a minute after the election (`reconcileReaped` in Consul's leader.go).
await startConsul({ beside: consul, nodeName: dark });
const stage = setStage({ consul, agents: { far: farAgent } });
const server = serverOn(consul, { token: consul.token, follows: true });
const end = new AbortController();
const lastMade = 'truth/last-made';
const claims = new Map<string, Claims>();
const denied = new Set<string>();
const deniedPrefixes = new Set<string>();

interface Reader {
  readonly may: Rights;
  snapshot(): Promise<Snapshot>;
  findings(): Promise<readonly Finding[]>;
  readonly witness: Witness;
}
const readers = new Map<string, Reader>();
const reader = (name: string): Reader => {
  const found = readers.get(name);
  if (found === undefined) throw new Error(`${name} is not there.`);
  return found;
};

const anything = () => true;
const everything: Rights = { key: anything, contenders: anything, node: anything };
const isHole = (key: string) =>
  denied.has(key) ||
  (!key.endsWith('/.lock') && [...deniedPrefixes].some((prefix) => key.startsWith(prefix)));

const rightsOf: Readonly<Record<string, Rights>> = {
  everything: everything,
  'key:read only': { ...everything, node: () => false },
  'session:read only': { ...everything, key: () => false },
  'deny holes': {
    ...everything,
    key: (key) => !isHole(key),
    contenders: (prefix) => !deniedPrefixes.has(`${prefix}/`),
  },
  'invisible nodes': { ...everything, node: (name) => name !== dark && name !== far },
};
const narrow = Object.keys(rightsOf).filter((name) => name !== 'everything');

const read = (...resources: readonly string[]) =>
  resources.map((resource) => `${resource}_prefix "" { policy = "read" }`).join('\n');
const hidden = (resource: string, names: Iterable<string>) =>
  [...names].map((name) => `${resource} "${name}" { policy = "deny" }`).join('\n');

/** Known once all rows are made, as contenders have random names. */
const rulesOf: Readonly<Record<string, () => string>> = {
  everything: () => read('key', 'session', 'node', 'service'),
  'key:read only': () => read('key'),
  'session:read only': () => read('session'),
  'deny holes': () =>
    [
      read('key', 'session', 'node', 'service'),
      hidden('key', denied),
      hidden('key_prefix', deniedPrefixes),
      ...[...deniedPrefixes].map((prefix) => `key "${prefix}.lock" { policy = "read" }`),
    ].join('\n'),
  'invisible nodes': () =>
    [
      read('key', 'session', 'node', 'service'),
      hidden('session', [dark, far]),
      hidden('node', [dark, far]),
    ].join('\n'),
};

/** Digs the hole of a row, as it is in the world that is seen whole. */
function dig(hole: Hole, row: Lock | Semaphore): void {
  if (row.kind === 'lock') {
    denied.add(hole === 'record' ? `${row.key}info` : row.key);
    return;
  }
  const { prefix, holders, waiters, leftovers } = row;
  const key = {
    entry: `${prefix}/.lock`,
    holder: `${prefix}/${holders[0]?.sessionId}`,
    waiter: waiters[0]?.entryKey,
    leftover: leftovers[0],
    contenders: null,
    record: undefined,
  }[hole];
  if (key === undefined) throw new Error(`${prefix} has no ${hole}.`);
  if (key === null) deniedPrefixes.add(`${prefix}/`);
  else denied.add(key);
}

/** Forbidden to this reader: about hidden rows silence is the truth. */
function neverTo(may: Rights, row: Lock | Semaphore, never: Never): Never {
  const { listed, ...told } = never;
  if (!mayBeListed(row, may)) return { listed: true };
  if (row.kind === 'lock' || !mayBePart(row, may)) return never;
  const shapes = (told.rows ?? []).filter((shape) => !('waiters' in shape));
  return { ...told, rows: [...shapes, { part: undefined }], ...(listed === undefined ? {} : { listed }) };
}

async function join(name: string, whole: Snapshot | null): Promise<void> {
  const { secret } = await makeToken(consul, rulesOf[name]?.() ?? '');
  const headers = await signedIn(server, secret);
  const snapshot = async () => (await (await server.snapshot(headers)).json()) as Snapshot;
  await until(async () => (await snapshot()).source.state === 'live', { what: `${name} is live` });
  const may = rightsOf[name] ?? everything;
  const mine = new Map(
    [...claims].map(([title, one]): [string, Claims] => {
      const row = whole === null ? null : subjectRow(whole, one.subject);
      if (row === null) return [title, one];
      return [title, { ...one, never: (words) => neverTo(may, row, one.never(words)) }];
    }),
  );
  const witness = await startWitness(() => server.events(headers, end.signal), mine);
  const findings = async () =>
    ((await (await server.findings(headers)).json()) as { findings: readonly Finding[] }).findings;
  readers.set(name, { may, snapshot, findings, witness });
}

beforeAll(async () => {
  await until(
    async () => {
      const passing = (await stage.client.checks()).value.filter(({ status }) => status === 'passing');
      return [dark, far].every((name) => passing.some(({ node }) => node === name));
    },
    { what: 'both nodes' },
  );
  for (const { title, isPlaced } of rows)
    claims.set(title, await situationOf(title).claims({ consul: isPlaced ? stage : darkened(stage) }));
  const own = () => server.runtime.viewpoints.own.hub.snapshot().source.state;
  await until(() => own() === 'live', { what: 'the server sees' });
  await join('everything', null);
  // Made after all rows, so a snapshot with it has each of them whole. A semaphore whose record is not written yet shows
  // its holder as one who waits, and the hole would be dug in the wrong entry.
  await stage.lock(lastMade, await stage.session({ name: 'last', ttlMs: 600_000 }));
  const whole = await until(
    async () => {
      const now = await reader('everything').snapshot();
      const made = [lockAt(lastMade), ...[...claims.values()].map(({ subject }) => subject)];
      return made.every((subject) => subjectRow(now, subject) !== null) && now;
    },
    { what: 'every row' },
  );
  for (const { title, hole } of rows) {
    const row = subjectRow(whole, claims.get(title)?.subject ?? semaphoreAt(''));
    if (row !== null) dig(hole, row);
  }
  for (const name of narrow) await join(name, whole);
}, 300_000);

afterAll(async () => {
  for (const { witness } of readers.values()) await witness.end();
  end.abort();
  await server.close();
  expect(server.bugs).toEqual([]);
  stage.end();
  await farAgent.stop();
  await consul.stop();
});

describe.each(rows)('$title', ({ title, lost = [], milder = [] }) => {
  const { when } = situationOf(title);
  const claimed = () => {
    const found = claims.get(title);
    if (found === undefined) throw new Error(`${title} was not made.`);
    return found;
  };

  test(
    'is shown to a reader of everything',
    async () => {
      const { witness } = reader('everything');
      await witness.says(title, 'from', 40_000);
      await claimed().turn?.();
      await witness.says(title, 'api', when === 'last' ? 90_000 : 40_000);
      for (const one of readers.values()) one.witness.came(title);
    },
    rowLimitMs(situationOf(title)),
  );

  test.each(narrow)('is shown as truly with %s', async (name) => {
    const { subject, never } = claimed();
    const { may, snapshot, witness } = reader(name);
    const others = name === 'deny holes' ? { lost, milder } : {};
    let faults: readonly string[] = [];
    const seen = await until(
      async () => {
        const both = [await reader('everything').snapshot(), await snapshot()] as const;
        faults = faultsOf(both, subject, may, others);
        return faults.length === 0 && both;
      },
      { what: 'the same' },
    ).catch(() => null);
    expect(faults).toEqual([]);
    if (seen === null) return;
    const [whole, mine] = seen;
    const row = subjectRow(whole, subject);
    const isPart = row?.kind === 'semaphore' && mayBePart(row, may);
    if (isPart) expect(emptyCounts(mine, subject)).toEqual([]);
    const forbidden = (words: AllMessages) => (row === null ? {} : neverTo(may, row, never(words)));
    expect(saidWrongly(mine, subject, forbidden, isPart)).toEqual([]);
    expect(witness.faults(title, false)).toEqual([]);
  });
});

/** Names as values, and not as fields of JSON. */
const named = (text: string, names: Iterable<string>) =>
  [...names].filter((name) => text.replaceAll(`${JSON.stringify(name)}:`, '').includes(JSON.stringify(name)));

describe('in all that is said', () => {
  const told = async (name: string) => {
    const { snapshot, findings } = reader(name);
    // Two requests, and what changes between them is in one of them alone.
    return until(
      async () => {
        const [shown, found] = [await snapshot(), await findings()];
        expect(found.map(({ id }) => id)).toEqual(shown.findings.map(({ id }) => id));
        return { shown, text: JSON.stringify([shown, found]) };
      },
      { what: 'the same findings by both' },
    );
  };
  const sessions = async () => (await stage.client.sessions()).value;

  test('no session and no node is named to who may read keys alone, and the page says why there is none', async () => {
    const { shown, text } = await told('key:read only');
    const names = (await sessions()).map(({ name }) => name).filter((name) => name !== '');
    expect(names.length).toBeGreaterThan(10);
    // Its holder's value may repeat the name of its session.
    const written = new Set(shown.locks.map(({ value }) => value?.content));
    expect(named(text, names).filter((name) => !written.has(name))).toEqual([]);
    for (const node of [consul.nodeName, dark, far]) expect(text).not.toContain(node);
    expect(shown.sessions).toEqual([]);
    expect(sightOf(shown)).toBe('hidden-sessions');
  });

  test('no key is named to who may read sessions alone, and nothing is concluded from that', async () => {
    const { shown, text } = await told('session:read only');
    expect([shown.locks, shown.semaphores, shown.findings]).toEqual([[], [], []]);
    expect(shown.sessions.length).toBeGreaterThan(10);
    expect(shown.sessions.every(({ holds, wants }) => holds.length + wants.length === 0)).toBe(true);
    const keys = (await stage.client.keys('')).value;
    expect(named(text, keys)).toEqual([]);
    // Their holds are unknown: so say the page and the API.
    expect([shown.scope, sightOf(shown)]).toEqual(['part', 'no-key']);
  });

  test('no key in a hole is named to its reader, and no client is said to wait there', async () => {
    const { shown, text } = await told('deny holes');
    const keys = (await stage.client.keys('')).value.filter(isHole);
    expect(keys.length).toBeGreaterThan(10);
    expect(named(text, keys)).toEqual([]);
    expect(shown.scope).toBe('part');
  });

  test('no session of an invisible node is named, nor the node', async () => {
    const { text } = await told('invisible nodes');
    const there = (await sessions()).filter(({ node }) => node === dark || node === far);
    expect(there.length).toBeGreaterThan(5);
    const others = new Set((await sessions()).filter((one) => !there.includes(one)).map(({ name }) => name));
    const names = there.map(({ name }) => name).filter((name) => name !== '' && !others.has(name));
    expect(named(text, names)).toEqual([]);
    for (const node of [dark, far]) expect(text).not.toContain(node);
  });
});
