/**
 * What a reader learns by asking Consul with their own token, and how their view compares to that. No line of the
 * product is in here: Consul's answers, and the format of a semaphore.
 */
import { areWrong, besideOf, calledBy, mayBeCalled, nameOfLayout } from './conclusions';
import { type Ended, type World, wordPattern } from './shape';
import type { Party, Shown } from './shown';

export interface Row {
  readonly key: string;
  readonly session: string | null;
  readonly value: Buffer;
  /** As a number, which is exact enough to distinguish those of the two libraries and none. */
  readonly flags: number;
}

export interface Reading {
  readonly rows: ReadonlyMap<string, Row>;
  readonly sessions: ReadonlyMap<
    string,
    { readonly name: string; readonly node: string; readonly checks: readonly string[] }
  >;
  readonly nodes: ReadonlySet<string>;
  /** By node and id. */
  readonly checks: ReadonlyMap<string, { readonly node: string; readonly name: string }>;
  /** Every word, and every id of a session, that stands in an answer. */
  readonly words: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
}

const idPattern = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** `ended`: sessions that a lock-delay may still reveal; Consul is asked whether they may show. */
export async function readAs(address: string, token: string, ended: readonly Ended[]): Promise<Reading> {
  const texts: string[] = [];
  const get = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`http://${address}/v1/${path}`, {
      headers: { 'x-consul-token': token },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 404 || response.status === 403) return [];
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    if (body === undefined) texts.push(text);
    return JSON.parse(text);
  };
  const [kv, list, catalog, health] = (await Promise.all([
    get('kv/?recurse'),
    get('session/list'),
    get('catalog/nodes'),
    get('health/state/any'),
  ])) as [
    { Key: string; Session?: string; Value: string | null; Flags: number }[],
    {
      ID: string;
      Name: string;
      Node: string;
      NodeChecks?: string[];
      ServiceChecks?: { ID: string }[];
    }[],
    { Node: string }[],
    { Node: string; CheckID: string; Name: string }[],
  ];
  const rows = kv.map(({ Key, Session, Value, Flags }) => ({
    key: Key,
    session: Session || null,
    value: Buffer.from(Value ?? '', 'base64'),
    flags: Flags,
  }));
  for (const { value } of rows) texts.push(value.toString('latin1'));
  const listed = new Set(list.map(({ ID }) => ID));
  // A holder of an entry may be asked about by name as well.
  const unlisted = rows.find(({ session }) => session !== null && !listed.has(session))?.session;
  if (unlisted) await get(`session/info/${unlisted}`);
  if (ended.length > 0) {
    const asks = ended.flatMap(({ keys, node }) => [
      { Resource: 'session', Access: 'read', Segment: node },
      ...keys.map((key) => ({ Resource: 'key', Access: 'read', Segment: key })),
    ]);
    const answers: { Resource: string; Segment: string; Allow: boolean }[] = [];
    for (let at = 0; at < asks.length; at += 64)
      answers.push(...((await get('internal/acl/authorize', asks.slice(at, at + 64))) as typeof answers));
    const may = (resource: string, name: string) =>
      answers.some(({ Resource, Segment, Allow }) => Allow && Resource === resource && Segment === name);
    for (const { id, name, node, keys } of ended) {
      const readable = keys.filter((key) => may('key', key));
      texts.push(...readable);
      if (readable.length > 0 && may('session', node)) texts.push(id, name, node);
    }
  }
  const all = texts.join('\n');
  return {
    rows: new Map(rows.map((row) => [row.key, row])),
    sessions: new Map(
      list.map(({ ID, Name, Node, NodeChecks, ServiceChecks }) => [
        ID,
        {
          name: Name,
          node: Node,
          checks: [...(NodeChecks ?? []), ...(ServiceChecks ?? []).map((check) => check.ID)],
        },
      ]),
    ),
    nodes: new Set(catalog.map(({ Node }) => Node)),
    checks: new Map(
      health.map(({ Node, CheckID, Name }) => [`${Node} ${CheckID}`, { node: Node, name: Name }]),
    ),
    words: new Set(all.match(wordPattern)),
    ids: new Set(all.match(idPattern)),
  };
}

const shortened = (id: string) => `${id.slice(0, 4)}…${id.slice(-4)}`;

/** Words in the bytes and in none of the answers. `known`: everything that the reader has ever been able to read. */
export function leaksIn(
  bytes: string,
  { words, ids }: Pick<World, 'words' | 'ids'>,
  known: { readonly words: ReadonlySet<string>; readonly ids: ReadonlySet<string> },
): string[] {
  // Values that are no text are shown in base64.
  const open = bytes.replaceAll(
    /"content":"([A-Za-z0-9+/=]{8,})"/g,
    (as, content: string) => `${as} (${Buffer.from(content, 'base64').toString('latin1')})`,
  );
  const found = new Map<string, string>();
  const add = (name: string, at: number) => {
    if (!found.has(name)) found.set(name, `${name}: … ${open.slice(Math.max(0, at - 400), at + 100)} …`);
  };
  const told = new Set([...known.ids].map(shortened));
  const secret = new Set([...ids].map(shortened));
  for (const { 0: word, index } of open.matchAll(wordPattern))
    if (words.has(word) && !known.words.has(word)) add(word, index);
  for (const { 0: id, index } of open.matchAll(idPattern))
    if (ids.has(id) && !known.ids.has(id)) add(id, index);
  for (const { 0: short, index } of open.matchAll(/[0-9a-f]{4}…[0-9a-f]{4}/g))
    if (secret.has(short) && !told.has(short)) add(short, index);
  return [...found.values()];
}

const recordedIn = (row: Row | undefined): string[] =>
  row === undefined ? [] : Object.keys((JSON.parse(row.value.toString()) as { Holders: object }).Holders);

/**
 * Every difference between `shown` and `reading`. `whole`: the view of a reader of everything, for conclusions. Empty
 * once the view is right.
 */
export function differences(
  shown: Shown,
  reading: Reading,
  all: { readonly reading: Reading; readonly shown: Shown },
  world: World,
): string[] {
  const said: string[] = [];
  const { rows, sessions } = reading;
  const equal = (what: string, is: unknown, should: unknown) => {
    const [a, b] = [JSON.stringify(is), JSON.stringify(should)];
    if (a !== b) said.push(`${what}: ${a}, and should be ${b}`);
  };
  const sameSet = (what: string, is: Iterable<string>, should: Iterable<string>) => {
    const [a, b] = [new Set(is), new Set(should)];
    for (const one of a) if (!b.has(one)) said.push(`${what}: ${one} is shown`);
    for (const one of b) if (!a.has(one)) said.push(`${what}: ${one} is missing`);
  };
  /** Whether all of the health of a node may be read. */
  const healthOf = (node: string): 'all' | 'some' | 'none' => {
    if (!reading.nodes.has(node)) return 'none';
    const hidden = [...all.reading.checks].some(
      ([id, check]) => check.node === node && !reading.checks.has(id),
    );
    return hidden ? 'some' : 'all';
  };
  const judge = (where: string, party: Party, beside: Party | undefined, entry: Row | undefined) => {
    const { sessionId, session, evidence, verdict } = party;
    const what = `${where}, ${sessionId}`;
    const listed = sessions.get(sessionId);
    const there = all.reading.sessions.get(sessionId);
    equal(`${what} is judged`, verdict, beside?.verdict);
    equal(
      `${what} has a session`,
      session,
      listed === undefined ? null : { name: listed.name, node: listed.node },
    );
    equal(`${what} has a value`, party.value !== null, entry !== undefined && entry.value.length > 0);
    for (const { code, detail } of evidence)
      if (code === 'holds-entry' && detail !== null && !rows.has(detail))
        said.push(`${what} locks ${detail}`);
    if (there === undefined) return;
    if (listed === undefined) {
      for (const { code, source } of evidence)
        if (source !== 'kv' && code !== 'evidence-withheld' && code !== 'limit-changed-while-waiting')
          said.push(`${what}: ${code} is told`);
      equal(`${what} ends`, party.expiry.kind, 'unknown');
    } else {
      const catalog = evidence.some(({ source }) => source === 'catalog');
      const health = healthOf(there.node);
      if (health === 'none' && catalog) said.push(`${what}: the health of ${there.node} is told`);
      if (health === 'all' && entry !== undefined) equal(`${what}, evidence`, evidence, beside?.evidence);
    }
  };

  const { locks, semaphores } = shown;
  if (shown.source.state !== 'live') said.push(`it is ${shown.source.state}`);
  sameSet(
    'locks',
    locks.filter(({ exists }) => exists).map(({ key }) => key),
    [...rows.keys()].filter((key) => world.lockKeys.has(key)),
  );
  for (const lock of locks) {
    const { key, holder, exists } = lock;
    const row = rows.get(key);
    const beside = all.shown.locks.find((one) => one.key === key);
    equal(`${key} is`, lock.state, beside?.state);
    if (!exists && lock.delay === null && lock.layout in nameOfLayout) said.push(`${key} is ${lock.layout}`);
    if (!exists || row === undefined) continue;
    const sessionName = sessions.get(row.session ?? '')?.name ?? '';
    if (!mayBeCalled(lock.layout, row, sessionName, rows)) said.push(`${key} is called ${lock.layout}`);
    const isOpen = besideOf(row).every((one) => rows.has(one) || !all.reading.rows.has(one));
    if (isOpen && (row.session === null || sessions.has(row.session)))
      equal(`${key} is called`, lock.layout, beside?.layout);
    equal(`${key} is held by`, holder?.sessionId ?? null, row.session);
    equal(`${key} has the value`, lock.value, beside?.value);
    if (holder !== null) judge(key, holder, beside?.holder ?? undefined, row);
    if (key.endsWith('/.lock') && !rows.has(`${key}info`))
      equal(`${key}, left behind`, lock.leftBehind, null);
    // Its command is a part of its session's name.
    if (lock.layout === 'consul-lock' && row.session !== null && !sessions.has(row.session))
      equal(`${key}, details`, lock.details, []);
    if (beside !== undefined && row.session !== null && sessions.has(row.session) && rows.has(`${key}info`))
      equal(`${key}, details`, lock.details, beside.details);
  }

  const contenders = (prefix: string, of: Reading) =>
    [...of.rows.values()].filter(({ key }) => key.startsWith(`${prefix}/`) && key !== `${prefix}/.lock`);
  sameSet(
    'semaphores',
    semaphores.filter(({ flags }) => flags !== null).map(({ prefix }) => prefix),
    [...world.semaphores].filter((prefix) => rows.has(`${prefix}/.lock`)),
  );
  for (const semaphore of semaphores) {
    const { prefix } = semaphore;
    const beside = all.shown.semaphores.find((one) => one.prefix === prefix);
    const recorded = recordedIn(rows.get(`${prefix}/.lock`));
    const entries = contenders(prefix, reading);
    const waiting = entries.filter(({ session }) => session !== null && !recorded.includes(session));
    for (const what of ['limit', 'recorded', 'effective'] as const)
      equal(`${prefix}, ${what}`, semaphore[what], beside?.[what]);
    sameSet(
      `holders of ${prefix}`,
      semaphore.holders.map(({ sessionId }) => sessionId),
      recorded,
    );
    sameSet(
      `waiters of ${prefix}`,
      semaphore.waiters.map(({ entryKey }) => entryKey ?? ''),
      waiting.map(({ key }) => key),
    );
    sameSet(
      `leftovers of ${prefix}`,
      semaphore.leftovers,
      entries.filter(({ session }) => session === null).map(({ key }) => key),
    );
    // One of which there is no entry is there by those who contend for it.
    if (semaphore.flags === null && entries.length === 0)
      said.push(`${prefix} is shown, of which nothing may be read`);
    const record = rows.get(`${prefix}/.lock`);
    const warns = ({ problems }: typeof semaphore) => problems.some(({ code }) => code === 'wrong-flags');
    if (record !== undefined && beside?.flags != null) {
      const locked = entries.filter(({ session }) => session !== null);
      equal(`${prefix} has wrong flags`, warns(semaphore), areWrong(record, locked));
      equal(`${prefix} is called`, semaphore.layout, calledBy(record, locked));
    }
    const parties = [...semaphore.holders, ...semaphore.waiters];
    const plain = ({ label, sessionId }: Party) => label.replace(` ${shortened(sessionId)}`, '');
    for (const one of parties) {
      const others = parties.filter((two) => two !== one && plain(two) === plain(one));
      equal(`${prefix}, ${one.label} is told apart`, plain(one) !== one.label, others.length > 0);
    }
    for (const one of parties) {
      const same = [...(beside?.holders ?? []), ...(beside?.waiters ?? [])].find(
        (two) => two.sessionId === one.sessionId,
      );
      judge(prefix, one, same, rows.get(`${prefix}/${one.sessionId}`));
    }
  }

  sameSet(
    'sessions',
    shown.sessions.map(({ id }) => id),
    sessions.keys(),
  );
  for (const { id, name, node, nodeStatus, checks, holds, wants } of shown.sessions) {
    const listed = sessions.get(id);
    if (listed === undefined) continue;
    equal(`session ${id}`, { name, node }, { name: listed.name, node: listed.node });
    const names = listed.checks.map((check) => reading.checks.get(`${node} ${check}`)?.name ?? '');
    const health = healthOf(node);
    if (health === 'all')
      equal(
        `checks of ${id}`,
        checks.map((check) => check.name),
        names,
      );
    else
      for (const check of checks)
        if (!check.name.startsWith('#') && !names.includes(check.name))
          said.push(`${id}: ${check.name} is told`);
    if (health === 'none') equal(`node of ${id}`, nodeStatus, 'unknown');
    for (const { prefix } of wants)
      if (!contenders(prefix, reading).some(({ session }) => session === id))
        said.push(`${id} wants ${prefix}`);
    for (const { kind, key, prefix } of holds)
      if (
        kind === 'lock'
          ? rows.get(key ?? '')?.session !== id
          : !recordedIn(rows.get(`${prefix}/.lock`)).includes(id)
      )
        said.push(`${id} holds ${key ?? prefix}`);
  }
  return said;
}
