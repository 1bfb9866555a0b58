import { constants, createGunzip } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { Hub } from '@/lib/server/live/hub';
import { createToldHub, type ToldHub } from '@/test/support/told-hub';
import { until } from '@/test/support/until';
import { createPings, tellingOf, viewOf } from './event';
import { Viewer } from './viewer';

let hub: Hub;
let say: ToldHub['tellSessions'];
let text: string;
let written: number;
let viewer: Viewer;

beforeEach(() => {
  ({ hub, tellSessions: say } = createToldHub());
  text = '';
  written = 0;
  const unpacked = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  unpacked.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const outlet = {
    waiting: 0,
    write: (bytes: Uint8Array) => {
      written += bytes.length;
      unpacked.write(bytes);
    },
    end: () => unpacked.end(),
    destroy: () => void unpacked.destroy(),
  };
  const around = {
    hub,
    onLeft: () => {},
    onBug: (error: unknown) => {
      throw error;
    },
    now: () => 0,
  };
  viewer = new Viewer(around, outlet, viewOf(null, 'gzip'));
});
afterEach(() => hub.close());

const pings = createPings();
const begin = (since: number | null = null) => viewer.begin({ since, follow: undefined, ended: null });
const many = Array.from({ length: 3_000 }, (_, n) => `s${String(n).padStart(5, '0')}`);
/** The page's data after all events, and the names of the events. */
function shown(): { readonly snapshot: Snapshot | null; readonly events: readonly string[] } {
  const came = [...text.matchAll(/event: (snapshot|patch)\nid: .*\ndata: (.*)\n\n/g)];
  let snapshot: Snapshot | null = null;
  for (const [, name, data = ''] of came)
    snapshot =
      name === 'snapshot'
        ? (JSON.parse(data) as Snapshot)
        : snapshot && apply(snapshot, JSON.parse(data) as Patch);
  return { snapshot, events: came.map(([, name = '']) => name) };
}
const upToDate = () =>
  until(() => shown().snapshot?.version === hub.snapshot().version, { what: 'the viewer to be up to date' });

test('changes while a large world is compressed follow it as patches that join', async () => {
  say(many);
  begin();
  // No large event goes out before this turn of the event loop ends.
  for (let n = 1; n <= 5; n += 1) say(many.slice(n));
  await upToDate();
  expect(shown()).toEqual({
    snapshot: hub.snapshot(),
    events: ['snapshot', 'patch', 'patch', 'patch', 'patch', 'patch'],
  });
  say(many.slice(6));
  await upToDate();
  expect(shown().snapshot).toEqual(hub.snapshot());
});

test('so does what changes while a large patch is', async () => {
  say(many);
  begin();
  await upToDate();
  // With every row renamed, the patch is too large to be compressed at once.
  say(many, 'renamed by its maker');
  for (let n = 1; n <= 5; n += 1) say(many.slice(n), 'renamed by its maker');
  await upToDate();
  expect(shown().snapshot).toEqual(hub.snapshot());
  expect(shown().events.filter((name) => name === 'snapshot')).toHaveLength(1);
});

test('a returning viewer learns that it is current after the missed events, not before', async () => {
  say(many);
  const { version } = hub.snapshot();
  say(many, 'renamed by its maker');
  begin(version);
  viewer.beat(pings.ping(0, null));
  await until(() => text.includes('event: patch'), { what: 'the patch' });
  viewer.beat(pings.ping(0, null));
  await until(() => text.includes('event: ping'), { what: 'the ping' });
  expect([...text.matchAll(/event: (\w+)/g)].map(([, name]) => name)).toEqual(['patch', 'ping']);
});

test('a viewer of a large world gets the time when the world has come, not with the next beat', async () => {
  say(many);
  begin();
  await until(() => text.includes('event: ping'), { what: 'the ping' });
  expect([...text.matchAll(/event: (\w+)/g)].map(([, name]) => name)).toEqual(['snapshot', 'ping']);
});

test('when more has changed meanwhile than is kept, another snapshot follows', async () => {
  say(many);
  begin();
  for (let n = 1; n <= 600; n += 1) say(many.slice(n % 2));
  await upToDate();
  expect(shown()).toEqual({ snapshot: hub.snapshot(), events: ['snapshot', 'snapshot'] });
});

test('a viewer that leaves while a world is compressed for it is sent nothing more', async () => {
  say(many);
  begin();
  const before = written;
  viewer.leave();
  // A later waiter for the same bytes gets them later.
  await tellingOf(hub).events.snapshot(hub.snapshot(), viewOf(null, 'gzip'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(before);
  expect(hub.viewers).toBe(0);
});

test('data that is compressed when the rights change is not sent', async () => {
  say(many);
  begin();
  say(['another']);
  viewer.turned();
  await upToDate();
  expect(shown()).toEqual({ snapshot: hub.snapshot(), events: ['snapshot'] });
});
