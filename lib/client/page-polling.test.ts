// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { snapshotOf } from '@/components/fixture/world';
import { build } from '@/lib/domain/build';
import { createLiveView } from './live-view';
import { followOpenings, type Openings } from './page-polling';

let asked: string[];
let answer: (url: URL) => Promise<Response>;
let address: string;
let shown: unknown[];
let builds: string[];
let openings: Openings;
const view = createLiveView(snapshotOf());
const said = (name: string, over: object = {}) =>
  Response.json({ name, build, atMs: Date.now(), contactMs: 7, opening: { name }, ...over });

beforeEach(() => {
  vi.useFakeTimers();
  [asked, shown, builds, address] = [[], [], [], '/'];
  vi.stubGlobal('fetch', (path: string) => {
    const url = new URL(path, 'http://x');
    asked.push(`${url.searchParams.get('address')} since ${url.searchParams.get('since')}`);
    return answer(url);
  });
  answer = async (url) => {
    const since = url.searchParams.get('since');
    return said('i-1', since === 'i-1' ? { opening: null } : {});
  };
});
afterEach(() => {
  openings.end();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const follow = () => {
  openings = followOpenings<unknown>({
    view,
    address: () => address,
    onOpening: (opening) => shown.push(opening),
    onOtherBuild: (name) => builds.push(name),
  });
};

test('the shown answer is asked for by its name, and in full for another address', async () => {
  follow();
  await vi.advanceTimersByTimeAsync(4_500);
  expect(asked).toEqual(['/ since null', '/ since i-1', '/ since i-1']);
  expect(shown).toEqual([{ name: 'i-1' }]);
  expect([view.connection.get().state, view.contact.get()]).toEqual(['live', 7]);
  address = '/?q=a';
  openings.ask();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked.at(-1)).toBe('/?q=a since null');
  expect(shown).toHaveLength(2);
});

test('an answer to an address that was left is not shown', async () => {
  let late = (_: Response) => {};
  const first = answer;
  answer = () =>
    new Promise((resolve) => {
      late = resolve;
    });
  follow();
  await vi.advanceTimersByTimeAsync(0);
  answer = first;
  address = '/lock?key=a';
  openings.ask();
  await vi.advanceTimersByTimeAsync(0);
  late(said('i-9'));
  await vi.advanceTimersByTimeAsync(0);
  expect(shown).toEqual([{ name: 'i-1' }]);
});

test('the page is lost after a while without a good answer, and live with the next one', async () => {
  follow();
  await vi.advanceTimersByTimeAsync(0);
  const good = answer;
  let n = 0;
  answer = async () => {
    n += 1;
    if (n % 3 === 0) throw new TypeError('not reached');
    return n % 3 === 1 ? new Response('busy', { status: 429 }) : Response.json({ something: 'else' });
  };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(view.connection.get().state).toBe('live');
  await vi.advanceTimersByTimeAsync(8_000);
  expect(view.connection.get().state).toBe('lost');
  answer = good;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(view.connection.get().state).toBe('live');
});

test('a server of another build is reported once, and an ended follower asks no more', async () => {
  answer = async () => said('i-1', { build: 'another' });
  follow();
  await vi.advanceTimersByTimeAsync(7_000);
  expect(builds).toEqual(['another']);
  openings.end();
  const { length } = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(length);
});
