/** A share's reader: the content, for how long, and its end. */
import { describe, expect, test, vi } from 'vitest';
import { GET as badge } from '@/app/embed/v1/badge.svg/route';
import { GET as events } from '@/app/embed/v1/events/route';
import { GET as snapshot } from '@/app/embed/v1/snapshot/route';
import { budgets } from '@/lib/server/http/limits';
import { runtime } from '@/lib/server/runtime';
import { frameAncestors } from '@/lib/server/sharing/frame';
import { createGrantStore } from '@/lib/server/sharing/grant-store';
import { streamsPerGrantMax } from '@/lib/server/sharing/grant-watch';
import { openStore } from '@/lib/server/store/store';
import { host } from '@/test/machines/served';
import { until } from '@/test/support/until';
import { follow } from './follow';
import {
  ann,
  bearer,
  consul,
  create,
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

await stageShares('postgres');

describe('the streams of a link end with it', () => {
  test.each(['pause', 'revoke'])('%s, here', async (how) => {
    const { id, query } = await shared();
    const stream = await follow(await served.ask(events, `/embed/v1/events${query}`));
    await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
    await patch(ann, id, how);
    await stream.ended;
    expect(stream.text()).toContain('not-granted');
    expect(stream.text()).not.toContain('MARKER');
  });
  test('and when another replica revokes it', async () => {
    const { id, query } = await shared();
    const stream = await follow(await served.ask(events, `/embed/v1/events${query}`));
    await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
    const { store } = runtime().env;
    const elsewhere = openStore(store);
    await createGrantStore(elsewhere).change(id, 'revoke', Date.now());
    await elsewhere.close();
    await stream.ended;
    expect(stream.text()).toContain('not-granted');
  });
  test('a link has so many streams and no more; one that leaves makes room', async () => {
    const { query } = await shared();
    const open = () => served.ask(events, `/embed/v1/events${query}`);
    const streams = await Promise.all(
      Array.from({ length: streamsPerGrantMax }, async () => follow(await open())),
    );
    const refused = await open();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'busy' });
    expect((await read(query)).status).toBe(200);
    await streams[0]?.cancel();
    const again = await open();
    expect(again.status).toBe(200);
    await again.body?.cancel();
    await Promise.all(streams.map((stream) => stream.cancel()));
  });
});

test('a reader’s cookie, token and method change nothing', async () => {
  const { query } = await shared();
  const plain = JSON.parse(await (await read(query)).text());
  const response = await served.ask(snapshot, `/embed/v1/snapshot${query}`, {
    headers: { ...bearer({ ...ann, secret: consul.token ?? '' }), cookie: 'signalbox=anything' },
  });
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect((await response.json()).locks).toEqual(plain.locks);
  const picture = await served.ask(badge, '/embed/v1/badge.svg?share=nothing');
  expect(picture.status).toBe(404);
  expect(await picture.text()).toContain('not shown');
});

test('allowed frames are looked up no more often than a reader may ask', async () => {
  const { query } = await shared(ann, scopeOf({ frames: ['https://wiki.example'] }));
  const ask = (shown: string) => frameAncestors(new Request(`http://${host}/embed/v1/board${shown}`));
  expect(await ask(query)).toBe('https://wiki.example');
  for (let n = 0; n < budgets.frame.strangers; n += 1) await ask('?share=guessed');
  expect(await ask(query)).toBe("'none'");
});

describe('where it is switched off', () => {
  test('with embeds off nothing of it answers, and none can be made', async () => {
    const { query } = await shared();
    const { store } = runtime().env;
    await serveWith({
      SIGNALBOX_EMBEDS: 'off',
      ...('folder' in store ? { SIGNALBOX_DATA: store.folder } : { DATABASE_URL: store.postgres }),
    });
    expect((await read(query)).status).toBe(404);
    expect((await create(ann)).status).toBe(404);
    await serveWith({ SIGNALBOX_MODE: 'read-only' });
    const response = await create(ann);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'read-only', why: { code: 'read-only-mode' } });
  });
});
