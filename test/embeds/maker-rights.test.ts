/** With whose rights a share is shown: its maker's, as Consul has them now, with their token sealed in a real store of each kind. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { GET as events } from '@/app/embed/v1/events/route';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { runtime } from '@/lib/server/runtime';
import { createGrantStore } from '@/lib/server/sharing/grant-store';
import { grantsPerPersonMax } from '@/lib/server/sharing/grants';
import { heldLock } from '@/test/actions/stage';
import { makeToken, operatorOf, revoke, rewrite, rule, type Token } from '@/test/identity/tokens';
import { storesHere } from '@/test/support/stores';
import { until } from '@/test/support/until';
import { follow } from './follow';
import {
  ben,
  consul,
  create,
  listed,
  patch,
  read,
  scopeOf,
  served,
  serveWith,
  shared,
  stageShares,
} from './stage';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

await stageShares('sqlite');

/** Five seconds are the goal, and some two are usual: a busy machine may take its time for any step of it. */
const seenMaxMs = 40_000;
const keys = 'one:0123456789abcdef0123456789abcdef';
const whole = (prefix: string) => `${operatorOf(prefix)} service_prefix "" { policy = "read" }`;
const lockScope = { view: 'lock', key: 'a/leader' };
const sealedOf = async (id: string) =>
  (
    await runtime()
      .store.db.selectFrom('signalbox_grants')
      .select('sealed')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).sealed;
const told = async (query: string) => (await (await read(query)).json()) as Snapshot;
const opened = async (query: string) => follow(await served.ask(events, `/embed/v1/events${query}`));
const shownAs = async (who: Token, id: string) => {
  const found = (await listed(who)).grants.find((grant) => grant.id === id);
  return [found?.state, found?.cause];
};
const anyone = () => makeToken(consul, whole('a/'), { description: 'maker' });

for (const kind of await storesHere())
  describe(kind.name, () => {
    let env: Readonly<Record<string, string>>;
    const start = (more: Readonly<Record<string, string>> = {}) =>
      serveWith({
        ...env,
        SIGNALBOX_EMBED_KEYS: keys,
        SIGNALBOX_SECRET: 's'.repeat(40),
        SIGNALBOX_RENEWAL_AGENTS: 'off',
        ...more,
      });
    const inView = () =>
      until(() => runtime().viewpoints.own.hub.snapshot().locks.length >= 2, { what: 'locks in view' });
    beforeAll(async () => {
      const where = await kind.place();
      env = 'folder' in where ? { SIGNALBOX_DATA: where.folder } : { DATABASE_URL: where.postgres };
      await start();
      await inView();
    });

    test.each([
      ['by another policy', rule.bind(null, consul)],
      ['by other rules of the same policy', rewrite.bind(null, consul)],
    ])(
      'a right that is taken away takes the rows with it in an open embed, which says so, and they come back with it: %s',
      async (_, change) => {
        const maker = await anyone();
        const { query } = await shared(maker);
        const stream = await opened(query);
        await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
        await change(maker, whole('elsewhere/'));
        const gone = /"remove":\{[^}]*a\/leader/;
        await until(() => gone.test(stream.text()), { what: 'the row goes', timeoutMs: seenMaxMs });
        // The page never calls it absent: it may be hidden from the maker.
        expect(stream.text().slice(0, stream.text().search(gone))).toContain('"reach":"');
        await until(() => stream.text().includes('"reach":"none"'), { what: 'it says why' });
        expect(await told(query)).toMatchObject({ locks: [], source: { reach: 'none' } });
        const before = stream.text().length;
        await change(maker, whole('a/'));
        await until(() => stream.text().slice(before).includes('a/leader'), {
          what: 'the row is back',
          timeoutMs: seenMaxMs,
        });
        await until(async () => (await told(query)).source.reach === undefined, { what: 'all of it' });
        await stream.cancel();
      },
    );

    test('of a board of which some is taken away the rest stays, and it is said that there is more', async () => {
      const folder = `${kind.name}/`;
      const client = consul.client();
      for (const key of [`${folder}kept/lock`, `${folder}lost/lock`])
        await heldLock(client, { key, value: 'v' });
      const maker = await makeToken(consul, whole(folder));
      await until(
        () => JSON.stringify(runtime().viewpoints.own.hub.snapshot().locks).includes(`${folder}lost/`),
        {
          what: 'both locks',
        },
      );
      const { query } = await shared(maker, scopeOf({ prefix: folder }));
      expect((await told(query)).locks.map(({ key }) => key)).toEqual([
        `${folder}kept/lock`,
        `${folder}lost/lock`,
      ]);
      await rule(consul, maker, whole(`${folder}kept/`));
      const after = await until(
        async () => {
          const now = await told(query);
          return now.locks.length === 1 && now.source.reach !== undefined && now;
        },
        { what: 'one is gone', timeoutMs: seenMaxMs },
      );
      expect(after).toMatchObject({ locks: [{ key: `${folder}kept/lock` }], source: { reach: 'part' } });
      expect(JSON.stringify(after)).not.toContain('/lost');
    });

    test('sessions are shown as long as the maker may see them on every node', async () => {
      const maker = await anyone();
      const { query } = await shared(maker, lockScope);
      await until(async () => JSON.stringify(await told(query)).includes('"node":"'), { what: 'its node' });
      await rewrite(
        consul,
        maker,
        `key_prefix "a/" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" } service_prefix "web" { policy = "read" }`,
      );
      const after = await until(
        async () => {
          const now = await told(query);
          return !JSON.stringify(now).includes('"node":"') && now;
        },
        { what: 'the node is gone', timeoutMs: seenMaxMs },
      );
      expect(after.locks).toMatchObject([{ key: 'a/leader', state: 'held', holder: { session: null } }]);
    });

    test('a token that is deleted ends what was shown with it, for every page and for good, and says why', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      const streams = [await opened(query), await opened(query)];
      for (const stream of streams)
        await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
      expect(await sealedOf(id)).not.toBeNull();
      await revoke(consul, maker);
      for (const stream of streams) {
        await stream.ended;
        expect(stream.text()).toContain('grant-maker-gone');
        expect(stream.text()).not.toContain(maker.accessor);
        expect(stream.text()).not.toContain('"maker"');
      }
      await until(async () => (await sealedOf(id)) === null, { what: 'the token is not kept' });
      expect(await shownAs(ben, id)).toEqual(['ended', 'token-gone']);
      expect((await read(query)).status).toBe(404);
    });

    test('a token that is deleted without a reader is found out by the next one', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      await revoke(consul, maker);
      await until(async () => (await read(query)).status === 404, {
        what: 'nothing is shown',
        timeoutMs: 30_000,
      });
      expect(await sealedOf(id)).toBeNull();
    });

    test('that another replica found it gone ends it here, with the same reason', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      const stream = await opened(query);
      await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
      const elsewhere = kind.open(runtime().env.store);
      const book = createGrantStore(elsewhere);
      const kept = await book.byId(id);
      if (kept !== null) await book.lose([kept], Date.now());
      await stream.ended;
      expect(stream.text()).toContain('grant-maker-gone');
    });

    test('no token is kept of a share that is paused, revoked or has ended, and each resumption keeps it again', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      await patch(maker, id, 'pause');
      expect(await sealedOf(id)).toBeNull();
      await patch(maker, id, 'resume');
      expect(await sealedOf(id)).not.toBeNull();
      expect((await read(query)).status).toBe(200);
      await patch(maker, id, 'revoke');
      expect(await sealedOf(id)).toBeNull();
      const response = await create(maker, scopeOf(), { lifeMs: 1_000 });
      const { grant } = (await response.json()) as { grant: { id: string; endsAtMs: number } };
      expect(await sealedOf(grant.id)).not.toBeNull();
      await createGrantStore(runtime().store).sweep(grant.endsAtMs);
      expect(await sealedOf(grant.id)).toBeNull();
    });

    test('a link from before tokens were kept shows nothing until its maker resumes it', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      const { db } = runtime().store;
      await db.updateTable('signalbox_grants').set({ sealed: null }).where('id', '=', id).execute();
      expect((await read(query)).status).toBe(404);
      expect(await shownAs(maker, id)).toEqual(['paused', 'no-token']);
      expect((await patch(ben, id, 'resume')).status).toBe(404);
      expect((await patch(maker, id, 'resume')).status).toBe(200);
      expect(await shownAs(maker, id)).toEqual(['active', null]);
      expect((await read(query)).status).toBe(200);
    });

    test('a sealed token is bound to its share: moved to another one it shows nothing', async () => {
      const [one, other] = [await anyone(), await makeToken(consul, whole('b/'))];
      const [mine, theirs] = [await shared(one), await shared(other, scopeOf({ prefix: 'b/' }))];
      const { db } = runtime().store;
      const sealed = await sealedOf(theirs.id);
      await db.updateTable('signalbox_grants').set({ sealed }).where('id', '=', mine.id).execute();
      expect((await read(mine.query)).status).toBe(404);
      expect(await shownAs(one, mine.id)).toEqual(['paused', 'unreadable']);
    });

    test('neither the token nor what is sealed is in an answer, the list, the audit or an embed', async () => {
      const maker = await anyone();
      const made = await create(maker);
      const text = await made.text();
      const { grant, secret } = JSON.parse(text) as { grant: { id: string }; secret: string };
      const sealed = (await sealedOf(grant.id)) ?? '';
      const out = [
        text,
        JSON.stringify(await listed(maker)),
        JSON.stringify(await listed(ben)),
        await (await read(`?share=${secret}`)).text(),
        await (await patch(maker, grant.id, 'pause')).text(),
        await (await patch(maker, grant.id, 'resume')).text(),
        JSON.stringify(await runtime().audit.read({ below: null, limit: 50, thread: grant.id })),
      ].join('\n');
      expect(sealed).not.toBe('');
      expect(out).not.toContain(sealed);
      expect(out).not.toContain('"sealed"');
      expect(out).not.toContain(maker.secret);
      const row = await runtime()
        .store.db.selectFrom('signalbox_grants')
        .selectAll()
        .where('id', '=', grant.id)
        .executeTakeFirstOrThrow();
      expect(JSON.stringify(row)).not.toContain(maker.secret);
    });

    test('a signed token shows what the share behind it shows, no more, and ends with it', async () => {
      const maker = await anyone();
      const { id, secret } = await shared(maker);
      const signed = async (wish: object) => {
        const response = await create(maker, lockScope, { kind: 'token', lifeMs: 60_000, ...wish });
        return [
          response.status,
          (await response.json()) as { token: string; why?: { code: string } },
        ] as const;
      };
      expect(await signed({})).toMatchObject([400, { why: { code: 'token-needs-grant' } }]);
      expect((await signed({ grant: id, scope: scopeOf({ prefix: '' }) }))[0]).toBe(403);
      const [status, { token }] = await signed({ grant: id });
      expect(status).toBe(201);
      expect(await told(`?token=${token}`)).toMatchObject({ locks: [{ key: 'a/leader' }] });
      const stream = await opened(`?token=${token}`);
      await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
      await patch(maker, id, 'pause');
      await stream.ended;
      expect((await read(`?token=${token}`)).status).toBe(404);
      expect(secret).not.toBe('');
    });

    test('a person has so many shares at a time and no more, and one that is revoked makes room', async () => {
      const maker = await anyone();
      const { id } = await shared(maker);
      const book = createGrantStore(runtime().store);
      const kept = await book.byId(id);
      for (let n = 1; n < grantsPerPersonMax && kept !== null; n += 1)
        await book.add({ ...kept.grant, id: `${id}-${n}` }, `secret ${id} ${n}`, null);
      const refused = await create(maker);
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { why: { code: 'too-many-grants', facts: { max: grantsPerPersonMax } } },
      ]);
      await patch(maker, id, 'revoke');
      expect((await create(maker)).status).toBe(201);
    });

    test('a server with another key shows nothing, says why to the maker, and shows it again when they resume it', async () => {
      const maker = await anyone();
      const { id, query } = await shared(maker);
      await start({ SIGNALBOX_SECRET: 't'.repeat(40) });
      await inView();
      expect((await read(query)).status).toBe(404);
      expect(await shownAs(maker, id)).toEqual(['paused', 'unreadable']);
      expect((await patch(maker, id, 'resume')).status).toBe(200);
      expect((await read(query)).status).toBe(200);
      expect(await shownAs(maker, id)).toEqual(['active', null]);
      // Where the key is of the process alone, each start is one with another key.
      await start({ SIGNALBOX_SECRET: '' });
      await inView();
      expect((await read(query)).status).toBe(404);
      expect(await shownAs(maker, id)).toEqual(['paused', 'unreadable']);
    });

    test('where the server may not read everything itself nothing is shown or shared, and that is said', async () => {
      const maker = await anyone();
      await start();
      await inView();
      const { id, query } = await shared(maker);
      const narrow = await makeToken(consul, whole('a/'));
      await start({ CONSUL_HTTP_TOKEN: narrow.secret });
      await until(() => runtime().backend.seesAll === 'no', { what: 'it knows that it is narrow' });
      const answer = await read(query);
      expect([answer.status, await answer.json()]).toMatchObject([
        503,
        { why: { code: 'grant-server-narrow' } },
      ]);
      expect(await shownAs(maker, id)).toEqual(['paused', 'server-narrow']);
      expect((await create(maker)).status).toBe(503);
      await start();
      await inView();
      await until(async () => (await read(query)).status === 200, { what: 'it is shown again' });
    });
  });
