import { afterEach, beforeEach, expect, test } from 'vitest';
import { session, world } from '@/lib/domain/fixture/world';
import type { ProviderListener, SharedWatch } from '@/lib/domain/seam/provider';
import { createHub, type Hub, type HubOptions } from './hub';
import { createJoinedHub, createSharedHubs, type SharedHubs } from './joined-hub';

let shared: SharedHubs;
let made: number;
let open: Set<Hub>;
let hubs: Hub[];

function hubOf(provider: HubOptions['provider']): Hub {
  made += 1;
  const instance = `hub-${made}`;
  const hub = createHub({ provider, now: () => 0, instance, findingsOf: () => [], onBug: () => {} });
  open.add(hub);
  const { close } = hub;
  return Object.assign(hub, {
    close: () => {
      open.delete(hub);
      return close();
    },
  });
}

beforeEach(() => {
  made = 0;
  open = new Set();
  hubs = [];
  shared = createSharedHubs({ make: hubOf, onBug: () => {} });
});
afterEach(async () => {
  for (const hub of hubs) await hub.close();
  await shared.close();
  expect(open.size).toBe(0);
});

/** A watch under the test's control. */
function told() {
  let listener: ProviderListener | undefined;
  const watch: SharedWatch = {
    id: 'test',
    watch: (given, signal) => {
      listener = given;
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  };
  const tell = (...ids: readonly string[]) =>
    listener?.world(world({ sessions: ids.map((id) => session({ id })) }), 1);
  return { watch, tell, shares: (next: SharedWatch | null) => listener?.shares?.(next) };
}

function joined() {
  const alone = told();
  const hub = createJoinedHub({ provider: alone.watch, shared, alone: hubOf, now: () => 0 });
  hubs.push(hub);
  return { hub, ...alone };
}

const shownBy = (hub: Hub) => hub.snapshot().sessions.map(({ id }) => id);

test('credentials that share a watch get the same steps, made once', () => {
  const [one, two, both] = [joined(), joined(), told()];
  one.shares(both.watch);
  two.shares(both.watch);
  both.tell('a');
  expect(one.hub.snapshot()).toBe(two.hub.snapshot());
  expect(one.hub.base).toBe(two.hub.base);
  expect(shownBy(one.hub)).toEqual(['a']);
});

test('a viewer learns that the next data are unrelated to the earlier ones, and gets no earlier step', () => {
  const { hub, tell, shares } = joined();
  tell('mine');
  const heard: string[] = [];
  const { leave } = hub.subscribe(
    {
      step: (_, { sessions }) => heard.push(`step ${sessions.map(({ id }) => id)}`),
      closed: () => heard.push('closed'),
      turned: () => heard.push(`turned ${shownBy(hub)}`),
    },
    null,
  );
  const [first, second] = [told(), told()];
  shares(first.watch);
  first.tell('a');
  shares(second.watch);
  first.tell('not for them');
  second.tell('b');
  expect(heard.filter((one) => !one.startsWith('step'))).toEqual(['turned ', 'turned ']);
  expect(heard).not.toContain('step not for them');
  expect(heard.at(-1)).toBe('step b');
  leave();
  second.tell('c');
  expect(heard.at(-1)).toBe('step b');
});

test('alone again, it shows nothing that it knew before', () => {
  const { hub, tell, shares } = joined();
  tell('old');
  const both = told();
  shares(both.watch);
  both.tell('a');
  shares(null);
  expect(shownBy(hub)).toEqual([]);
  expect(hub.snapshot().source.state).toBe('catching-up');
  tell('new');
  expect(shownBy(hub)).toEqual(['new']);
});

test('a hub ends with the last credential that is at it', () => {
  const [one, two, both] = [joined(), joined(), told()];
  one.shares(both.watch);
  two.shares(both.watch);
  expect(open.size).toBe(3);
  one.shares(null);
  expect(open.size).toBe(3);
  two.shares(null);
  expect(open.size).toBe(2);
});

test('a caller that waits for the first world gets that of the shared watch', async () => {
  const { hub, shares } = joined();
  let isReady = false;
  const ready = hub.ready(60_000).then(() => {
    isReady = true;
  });
  const both = told();
  shares(both.watch);
  await Promise.resolve();
  expect(isReady).toBe(false);
  both.tell('a');
  await ready;
  expect(hub.read).toBe(true);
});
