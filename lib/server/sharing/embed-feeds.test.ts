import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holder, liveSource, lock, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import type { World } from '@/lib/domain/model';
import { calmMs, momentMs } from '@/lib/domain/rules/easing';
import { createFindingSteps, createFindings, findingsOf } from '@/lib/domain/rules/table';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { Scope } from '@/lib/domain/sharing/grant';
import type { PooledCredential } from '@/lib/server/identity/credential-pool';
import { createHub } from '@/lib/server/live/hub';
import { createEmbedFeeds, feedsPerMakerMax } from './embed-feeds';

const scope: Scope = {
  view: 'board',
  prefix: 'in/',
  source: 'consul',
  datacenter: null,
  values: false,
  sessions: true,
  frames: [],
  label: '',
};
const live = liveSource({ provider: 'test', lastContactMs: 1 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a write outside of the scope, or of nothing that is shown, changes no letter of what a reader gets', async () => {
  let listener: ProviderListener | null = null;
  const onBug = (error: unknown) => {
    throw error;
  };
  const hub = createHub({
    provider: {
      id: 'test',
      watch: (to, signal) =>
        new Promise((resolve) => {
          listener = to;
          signal.addEventListener('abort', () => resolve());
        }),
    },
    now: () => Date.now(),
    instance: 'i',
    findingsOf: () => [],
    onBug,
  });
  const say = async (of: World) => {
    listener?.world(of, Date.now());
    // Longer than `tellMs`.
    await vi.advanceTimersByTimeAsync(1_000);
  };
  const inside = lock({ key: 'in/leader', holder: holder('s1'), modifyIndex: '7' });
  listener = listener as ProviderListener | null;
  listener?.source(live);
  await say(world({ locks: [inside] }));
  const feeds = createEmbedFeeds({ hub, now: () => Date.now(), createFindings, onBug });
  const told = () => JSON.stringify(feeds.of({ scope, maker: null }).hub.snapshot());
  told();
  await vi.advanceTimersByTimeAsync(1_000);
  const before = told();
  expect(before).toContain('in/leader');
  await say(world({ locks: [inside, lock({ key: 'out/leader' })] }));
  await say(world({ locks: [{ ...inside, modifyIndex: '9' }, lock({ key: 'out/leader' })] }));
  expect(told()).toBe(before);
  await say(world({ locks: [{ ...inside, holder: holder('s2') }] }));
  expect(told()).toContain('s2');
  await feeds.close();
  await hub.close();
});

test('an embed has the severity that the console shows, also when that falls by the time alone', async () => {
  let listener: ProviderListener | null = null;
  const onBug = (error: unknown) => {
    throw error;
  };
  const hub = createHub({
    provider: {
      id: 'test',
      watch: (to, signal) =>
        new Promise((resolve) => {
          listener = to;
          signal.addEventListener('abort', () => resolve());
        }),
    },
    now: () => Date.now(),
    instance: 'i',
    findingsOf,
    findingChanges: createFindingSteps(),
    onBug,
  });
  const ghosts = (...waiters: string[]) =>
    world({
      semaphores: [
        semaphore({
          prefix: 'in/jobs',
          holders: [holder('g', 'ghost')],
          waiters: waiters.map((id) => waiter(id)),
        }),
      ],
    });
  const say = async (of: World) => {
    (listener as ProviderListener | null)?.world(of, Date.now());
    await vi.advanceTimersByTimeAsync(1_000);
  };
  (listener as ProviderListener | null)?.source(live);
  await say(ghosts('w'));
  await say(ghosts());
  // No reader came before the lock calmed down.
  const feeds = createEmbedFeeds({ hub, now: () => Date.now(), createFindings, onBug });
  const told = () => feeds.of({ scope, maker: null }).hub.snapshot().findings[0]?.severity;
  told();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([told(), hub.snapshot().findings[0]?.severity]).toEqual(['urgent', 'urgent']);
  await vi.advanceTimersByTimeAsync(calmMs);
  expect([told(), hub.snapshot().findings[0]?.severity]).toEqual(['warning', 'warning']);
  // A momentary finding that the console does not show stays unsent too.
  await say(world());
  (listener as ProviderListener | null)?.world(ghosts('w'), Date.now());
  await vi.advanceTimersByTimeAsync(momentMs - 1);
  expect([told(), hub.snapshot().findings[0]?.severity]).toEqual([undefined, undefined]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([told(), hub.snapshot().findings[0]?.severity]).toEqual(['urgent', 'urgent']);
  await feeds.close();
  await hub.close();
});

test('a feed that ends before anything was read leaves nothing waiting for it', async () => {
  const onBug = (error: unknown) => {
    throw error;
  };
  const hub = createHub({
    provider: {
      id: 'test',
      watch: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    },
    now: () => Date.now(),
    instance: 'i',
    findingsOf: () => [],
    onBug,
  });
  const timers = vi.getTimerCount();
  const feeds = createEmbedFeeds({ hub, now: () => Date.now(), createFindings, onBug });
  for (let n = 0; n < 20; n += 1) feeds.of({ scope: { ...scope, prefix: `in/${n}/` }, maker: null });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hub.viewers).toBe(20);
  await feeds.close();
  expect(hub.viewers).toBe(0);
  expect(vi.getTimerCount()).toBe(timers);
  await hub.close();
});

test('the links of one maker take half of the places at most, and others find room', async () => {
  const onBug = (error: unknown) => {
    throw error;
  };
  const hub = createHub({
    provider: {
      id: 'test',
      watch: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    },
    now: () => Date.now(),
    instance: 'i',
    findingsOf: () => [],
    onBug,
  });
  const timers = vi.getTimerCount();
  const feeds = createEmbedFeeds({ hub, now: () => Date.now(), createFindings, onBug });
  const viewpoint = { hub, provider: {} } as unknown as PooledCredential;
  const by = (name: string) => ({ grantId: 'g', name, viewpoint: () => viewpoint });
  const open = (maker: string, n: number) =>
    feeds.of({ scope: { ...scope, prefix: `in/${n}/` }, maker: by(maker) });
  for (let n = 0; n < feedsPerMakerMax; n += 1) open('ann', n);
  expect(() => open('ann', feedsPerMakerMax)).toThrow();
  expect(open('ann', 0)).toBeDefined();
  expect(open('ben', 0)).toBeDefined();
  await feeds.close();
  // Longer than a question in flight may take.
  await vi.advanceTimersByTimeAsync(5_000);
  expect(vi.getTimerCount()).toBe(timers);
  await hub.close();
});
