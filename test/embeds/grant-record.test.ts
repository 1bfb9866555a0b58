/** The stored parts of a share, in the audit and the store, and the parts that never are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { POST as make } from '@/app/api/v1/grants/route';
import { runtime } from '@/lib/server/runtime';
import { createGrantStore } from '@/lib/server/sharing/grant-store';
import { until } from '@/test/support/until';
import { ann, bearer, create, listed, patch, read, scopeOf, served, shared, stageShares } from './stage';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

await stageShares('sqlite');

describe('the record', () => {
  test('every change of a share has its row, with who, and never the secret', async () => {
    const { id, secret } = await shared();
    for (const how of ['pause', 'resume', 'revoke']) await patch(ann, id, how);
    const rows = await runtime().audit.read({ below: null, limit: 50, thread: id });
    expect(rows.map(({ kind }) => kind).reverse()).toEqual([
      'grant-created',
      'grant-paused',
      'grant-resumed',
      'grant-revoked',
    ]);
    for (const row of rows) expect(row.who).toMatchObject({ kind: 'token', id: ann.accessor, name: 'ann' });
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
  test('the store has no secret of a link in any of its files', async () => {
    const { secret } = await shared();
    const { store } = runtime().env;
    const folder = 'folder' in store ? store.folder : '';
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    expect(files.length).toBeGreaterThan(0);
    for (const bytes of files) {
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
  });
  test('a use is kept, and kept again only after a minute', async () => {
    const { id, query } = await shared();
    await read(query);
    const used = async () => (await listed(ann)).grants.find((grant) => grant.id === id)?.usedAtMs;
    await until(async () => typeof (await used()) === 'number', { what: 'the use' });
    const first = (await used()) ?? 0;
    const book = createGrantStore(runtime().store);
    await book.used(id, first + 59_000, 60_000);
    expect(await used()).toBe(first);
    await book.used(id, first + 61_000, 60_000);
    expect(await used()).toBe(first + 61_000);
  });
});

test("a maker's own token pasted into the note stays out of the audit and the list", async () => {
  const scope = scopeOf({ label: `for ${ann.secret}` });
  const { id } = await shared(ann, scope);
  await patch(ann, id, 'pause');
  const other = await shared(ann);
  const token = { kind: 'token', lifeMs: 60_000, grant: other.id };
  expect((await create(ann, scope, token)).status).toBe(201);
  const rows = await runtime().audit.read({ below: null, limit: 4 });
  expect(rows.map(({ kind }) => kind)).toEqual([
    'grant-created',
    'grant-created',
    'grant-paused',
    'grant-created',
  ]);
  expect(rows[3]?.reason).toBe('for [redacted]');
  expect(JSON.stringify([rows, await listed(ann)])).not.toContain(ann.secret);
});

describe('a signed token', () => {
  test('that the console signed shows its scope, is on record, and its request was bounded', async () => {
    const { id } = await shared();
    const ask = (lifeMs: number) =>
      served.ask(make, '/api/v1/grants', {
        method: 'POST',
        headers: bearer(ann),
        body: { kind: 'token', scope: scopeOf(), lifeMs, grant: id },
      });
    const response = await ask(60_000);
    expect(response.status).toBe(201);
    const { token } = (await response.json()) as { token: string };
    expect((await read(`?token=${token}`)).status).toBe(200);
    expect((await read(`?share=${token}`)).status).toBe(404);
    const [row] = await runtime().audit.read({ below: null, limit: 1, kind: 'grant-created' });
    expect(row?.detail).toMatchObject({ grant: 'token', prefix: 'a/', link: id });
    expect(JSON.stringify(row)).not.toContain(token);
    expect((await ask(25 * 3600 * 1000)).status).toBe(400);
  });
});
