/**
 * Every action that the page of a subject could offer, planned and never applied. No plan may write a shape that was
 * not parsed, change flags or anything but its target, or delete anything in use: following a plan must never break a
 * client.
 */
import { type APIRequestContext, expect } from '@playwright/test';
import type { Action } from '@/lib/domain/actions/action';
import type { Lock, Semaphore, Session } from '@/lib/domain/model';

/** The checked parts of a plan. */
interface Plan {
  readonly writes: readonly {
    readonly operation: string;
    readonly target: string;
    /** English beside the code; of a stored value, the value itself. */
    readonly before: { readonly text: string } | null;
    readonly after: { readonly text: string } | null;
  }[];
  readonly manual: readonly { readonly tool: string; readonly command: string | null }[];
}

/** Rows of the store as they were when the plans were made, by key. */
export type Stored = ReadonlyMap<
  string,
  { readonly flags: string; readonly session: string | null; readonly value: string }
>;

export function actionsFor(row: Lock | Semaphore | Session): Action[] {
  if (!('kind' in row)) return [{ type: 'session.destroy', source: 'consul', sessionId: row.id }];
  if (row.kind === 'lock')
    return [
      { type: 'lock.release', source: 'consul', key: row.key, how: 'destroy-session' },
      { type: 'lock.release', source: 'consul', key: row.key, how: 'hand-over' },
      { type: 'lock.delete', source: 'consul', key: row.key },
      ...(row.holder === null
        ? []
        : [{ type: 'session.destroy' as const, source: 'consul', sessionId: row.holder.sessionId }]),
    ];
  const { prefix, limit, holders } = row;
  const limits = [1, (limit ?? 1) - 1, (limit ?? 1) + 1].filter(
    (n, i, all) => n >= 1 && all.indexOf(n) === i,
  );
  return [
    ...holders.flatMap(({ sessionId }): Action[] => [
      { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'destroy-session' },
      { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'slot-only' },
    ]),
    { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] },
    ...limits.map((n): Action => ({ type: 'semaphore.resize', source: 'consul', prefix, limit: n })),
    { type: 'semaphore.delete', source: 'consul', prefix },
  ];
}

/** The plan, or `null` when it is refused as such a thing should be. */
async function planOf(request: APIRequestContext, baseUrl: string, action: Action): Promise<Plan | null> {
  const answer = await request.post(`${baseUrl}/api/v1/actions`, {
    data: { mode: 'plan', action, reason: '' },
  });
  const body = (await answer.json()) as { plan?: Plan; code?: string; why?: { code: string } };
  expect(answer.status(), `${JSON.stringify(action)}: ${JSON.stringify(body)}`).not.toBe(500);
  if (answer.status() === 200) return body.plan ?? null;
  // A refusal names its kind; "invalid" alone would say that the sweep asked for nonsense.
  expect(
    ['conflict-in-use', 'not-held', 'not-found', 'forbidden', 'unwritable', 'write-too-large'],
    JSON.stringify(body),
  ).toContain(body.code === 'invalid' ? body.why?.code : body.code);
  return null;
}

interface Transaction {
  readonly KV: { readonly Verb: string; readonly Key: string; readonly Value?: string };
}

/** The transactions that the plan would send, as its commands by hand show them. Flags stay text. */
function transactionsIn(plan: Plan): { flags: string | null; verb: string; key: string; value: string }[] {
  return plan.manual.flatMap(({ command }) => {
    // A long one is read from below the command.
    const long = /--data-binary @- .* <<'(\w+)'\n(\[.*\])\n\1$/s.exec(command ?? '')?.[2];
    const body = long ?? /--data-binary '(\[.*\])' /s.exec(command ?? '')?.[1]?.replaceAll("'\\''", "'");
    if (body === undefined) return [];
    const flags = [...body.matchAll(/"Flags":(\d+)/g)].map((match) => match[1] ?? '');
    return (JSON.parse(body) as Transaction[]).map(({ KV }) => ({
      verb: KV.Verb,
      key: KV.Key,
      value: Buffer.from(KV.Value ?? '', 'base64').toString('utf8'),
      flags: KV.Value === undefined ? null : (flags.shift() ?? null),
    }));
  });
}

/** Field names in order and their types; the holders may be fewer, the limit another. */
const shapeOf = (text: string) =>
  Object.entries(JSON.parse(text) as Record<string, unknown>).map(([name, value]) => [
    name,
    /^(limit|holders)$/i.test(name) ? (Array.isArray(value) ? 'list' : typeof value) : value,
  ]);

const holdersIn = (text: string): string[] => {
  const fields = Object.entries(JSON.parse(text) as Record<string, unknown>);
  const holders = fields.find(([name]) => name.toLowerCase() === 'holders')?.[1];
  return Array.isArray(holders) ? holders.map(String) : Object.keys((holders ?? {}) as object);
};

function expectHarmless(action: Action, plan: Plan, row: Lock | Semaphore | Session, stored: Stored): void {
  const name = JSON.stringify(action);
  const mine = 'sessionId' in action ? action.sessionId : null;
  for (const write of plan.writes) {
    const before = stored.get(write.target);
    if (write.operation === 'delete') {
      expect(before, `${name} deletes what is there`).toBeDefined();
      // Only its own entry may be locked: deleting any other takes it from its holder.
      expect([null, mine], `${name} deletes ${write.target}, which is in use`).toContain(before?.session);
    }
    if (write.operation === 'update') {
      expect(write.target, `${name} updates nothing but a coordination entry`).toMatch(/\/\.lock$/);
      expect('kind' in row && row.kind === 'semaphore' ? row.layout : null, name).not.toBe('unreadable');
      expect(write.before?.text, `${name} says what it replaces`).toBe(before?.value);
      const after = write.after?.text ?? '';
      expect(shapeOf(after), `${name} keeps the shape`).toEqual(shapeOf(before?.value ?? ''));
      const kept = new Set(holdersIn(before?.value ?? ''));
      expect(
        holdersIn(after).filter((id) => !kept.has(id)),
        `${name} adds nobody`,
      ).toEqual([]);
    }
  }
  const transactions = transactionsIn(plan);
  if (plan.writes.some(({ operation }) => operation === 'update'))
    expect(
      transactions.some(({ verb, flags }) => verb === 'cas' && flags !== null),
      `${name} shows the comparison that it makes`,
    ).toBe(true);
  for (const { verb, key, flags, value } of transactions) {
    expect(['cas', 'delete-cas', 'unlock', 'check-session', 'check-index'], `${name}: ${verb}`).toContain(
      verb,
    );
    const before = stored.get(key);
    if (flags !== null) expect(flags, `${name} keeps the flags of ${key}`).toBe(before?.flags);
    if (verb === 'unlock') expect(value, `${name} keeps the value of ${key}`).toBe(before?.value);
    if (verb === 'delete-cas')
      expect([null, mine, undefined], `${name} deletes ${key}, which is in use`).toContain(before?.session);
  }
  if (action.type === 'lock.delete' && 'state' in row)
    expect(row.state, `${name} deletes a lock that is held`).not.toBe('held');
  if (action.type === 'semaphore.delete' && 'kind' in row && row.kind === 'semaphore')
    expect([row.holders.length, row.waiters.length], `${name} deletes a semaphore in use`).toEqual([0, 0]);
  if (action.type === 'semaphore.prune' && 'kind' in row && row.kind === 'semaphore')
    for (const { sessionId, verdict } of row.holders)
      if (verdict !== 'ghost')
        expect(
          plan.writes.some((write) => write.after !== null && !write.after.text.includes(sessionId)),
          `${name} prunes ${sessionId}, which is ${verdict}`,
        ).toBe(false);
}

/** Asked at a time: each plan is a consistent read of everything. */
const atOnce = 4;

/** Plans everything for these rows. Answers how many plans were made, so that a sweep of refusals alone is noticed. */
export async function sweepPlans(
  request: APIRequestContext,
  baseUrl: string,
  rows: readonly (Lock | Semaphore | Session)[],
  stored: Stored,
): Promise<number> {
  const asked = rows.flatMap((row) => actionsFor(row).map((action) => ({ row, action })));
  let made = 0;
  for (let start = 0; start < asked.length; start += atOnce)
    await Promise.all(
      asked.slice(start, start + atOnce).map(async ({ row, action }) => {
        const plan = await planOf(request, baseUrl, action);
        if (plan === null) return;
        made += 1;
        expectHarmless(action, plan, row, stored);
      }),
    );
  return made;
}
