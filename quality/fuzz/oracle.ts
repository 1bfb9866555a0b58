/**
 * The consequences of Consul's answers and of two worlds, without a line of the product: plain JSON, plain sets and
 * plain texts. Answers that it cannot judge (no JSON, a key twice) are ignored.
 */
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { claim } from './target';

interface RawRow {
  readonly Key: string;
  readonly Session?: string | null;
  readonly Flags: string;
  readonly ModifyIndex: string;
  readonly Value: string | null;
}

const semaphoreFlags = '16210313421097356768';

/** The rows of a body, with numbers as written; `null`: they cannot be judged. */
export function rawRows(body: Buffer): readonly RawRow[] | null {
  const text = body.toString('utf8').replace(/"(Flags|ModifyIndex)"\s*:\s*(\d+)(?=\s*[,}])/g, '"$1":"$2"');
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(rows)) return null;
  const keys = rows.map((row: unknown) => (row as RawRow | null)?.Key);
  if (!keys.every((key) => typeof key === 'string')) return null;
  return new Set(keys).size === keys.length ? (rows as RawRow[]) : null;
}

/** Limit and holders of an entry as Go writes it, each holder once, in letters, digits and dashes only. */
function coordination(value: string): { limit: number; holders: ReadonlySet<string> } | null {
  const [, limit, map] =
    /^\{"Limit":([1-9]\d{0,5}),"Holders":\{((?:"[\w-]+":true(?:,(?=")|(?=\})))*)\}\}$/.exec(value) ?? [];
  if (limit === undefined || map === undefined) return null;
  const names = [...map.matchAll(/"([\w-]+)"/g)].map(([, name]) => name ?? '');
  const odd = names.some((name) => name in {});
  return odd || new Set(names).size !== names.length
    ? null
    : { limit: Number(limit), holders: new Set(names) };
}

const plain = (value: string | null) => {
  const text = Buffer.from(value ?? '', 'base64').toString('latin1');
  return /^[\x20-\x7e]*$/.test(text) ? text : null;
};

/** Checks a world against these rows. Returns the number of rows compared. */
export function agreesWithRows(rows: readonly RawRow[], { locks, semaphores }: Snapshot): number {
  const byKey = new Map(rows.map((row) => [row.Key, row]));
  const lockOf = new Map(locks.filter(({ exists }) => exists).map((lock) => [lock.key, lock]));
  for (const [key, { flags, modifyIndex, holder }] of lockOf) {
    const row = byKey.get(key);
    claim(row !== undefined, `a lock that is in no row: ${key}`);
    claim(flags === String(row.Flags), `${key} has the flags ${row.Flags}, and ${flags} is shown`);
    claim(
      modifyIndex === String(row.ModifyIndex),
      `${key} has the index ${row.ModifyIndex}, and ${modifyIndex} is shown`,
    );
    const session = row.Session || null;
    claim(
      (holder?.sessionId ?? null) === session,
      `${key} is locked by ${session}, and ${holder?.sessionId} is shown`,
    );
  }
  const named = (semaphore: (typeof semaphores)[number]) =>
    new Set([...semaphore.holders, ...semaphore.waiters].map(({ sessionId }) => sessionId));
  // An unlocked key may or may not count as a lock. A locked one always shows.
  for (const { Key: key, Session: session } of rows) {
    if (!session || lockOf.has(key) || key.endsWith('/.lock')) continue;
    const above = semaphores.filter(({ prefix }) => key.startsWith(`${prefix}/`));
    claim(
      above.some((one) => named(one).has(session)),
      `${key} is locked by ${session}, who is shown nowhere`,
    );
  }
  for (const semaphore of semaphores) {
    const row = byKey.get(`${semaphore.prefix}/.lock`);
    const value = row === undefined ? null : plain(row.Value);
    const known = value === null || String(row?.Flags) !== semaphoreFlags ? null : coordination(value);
    if (known === null) continue;
    claim(
      semaphore.limit === known.limit,
      `${semaphore.prefix} has the limit ${known.limit}, and ${semaphore.limit} is shown`,
    );
    const shown = semaphore.holders.map(({ sessionId }) => sessionId).sort();
    claim(
      `${shown}` === `${[...known.holders].sort()}`,
      `${semaphore.prefix} is held by ${[...known.holders]}, and ${shown} are shown`,
    );
  }
  return rows.length;
}

/** The same text for the same content, in any order of members. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const members = Object.entries(value)
    .filter(([, of]) => of !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, of]) => `${JSON.stringify(name)}:${canonical(of)}`).join(',')}}`;
}

type Table = 'locks' | 'semaphores' | 'sessions' | 'findings' | 'renewals';
const nameIn: Readonly<Record<Table, string>> = {
  locks: 'key',
  semaphores: 'prefix',
  sessions: 'id',
  findings: 'id',
  renewals: 'id',
};

/** A row by its source and its own name. A finding's id names its source. */
const named = (table: Table, row: unknown, name: unknown): string =>
  table === 'findings'
    ? String(name)
    : `${(row as { source?: string } | null)?.source ?? 'consul'} ${String(name)}`;

/** Compares the names in a patch with those that differ. It must name each, and no other. */
export function namesWhatDiffers(
  patch: (Readonly<Record<'put' | 'edit' | 'remove', object>> & { readonly removeIn?: object }) | null,
  before: Snapshot,
  after: Snapshot,
): void {
  for (const table of Object.keys(nameIn) as Table[]) {
    const texts = (of: Snapshot) =>
      new Map(
        (of[table] ?? []).map((row) => [
          named(table, row, (row as unknown as Record<string, unknown>)[nameIn[table]]),
          canonical(row),
        ]),
      );
    const [was, is] = [texts(before), texts(after)];
    const differing = new Set([...was.keys(), ...is.keys()].filter((name) => was.get(name) !== is.get(name)));
    const rowsOf = (side: 'put' | 'edit' | 'remove') =>
      ((patch?.[side] ?? {}) as Partial<Record<Table, readonly unknown[]>>)[table] ?? [];
    const spoken = [
      ...rowsOf('put').map((row) => named(table, row, (row as Record<string, unknown>)[nameIn[table]])),
      ...rowsOf('edit').map((row) => named(table, row, (row as { of: string }).of)),
      ...rowsOf('remove').map((name) => named(table, {}, name)),
      ...Object.entries(
        (patch?.removeIn ?? {}) as Record<string, Partial<Record<Table, readonly unknown[]>>>,
      ).flatMap(([source, gone]) => (gone[table] ?? []).map((name) => named(table, { source }, name))),
    ];
    claim(new Set(spoken).size === spoken.length, `a patch speaks twice of one of ${table}`);
    for (const name of spoken)
      claim(differing.has(name), `a patch speaks of ${table} ${name}, which is the same`);
    for (const name of differing) claim(spoken.includes(name), `a patch is silent of ${table} ${name}`);
  }
}
