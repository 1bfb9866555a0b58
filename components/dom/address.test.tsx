// @vitest-environment happy-dom
import { act, cleanup, fireEvent, renderHook } from '@testing-library/react';
import { NuqsAdapter } from 'nuqs/adapters/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { flagParameter, oneOf, textParameter, textsParameter } from '@/lib/view/url-parameter';
import { useAddress } from './address';

const passes = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const rests = () => passes(1_000);
const written = () => window.location.search;

const parameters = {
  q: textParameter,
  show: oneOf(['all', 'locks'], 'all'),
  group: flagParameter,
  closed: textsParameter,
};

function open(search = '') {
  putAddress(search);
  const { result } = renderHook(() => useAddress(parameters), { wrapper: NuqsAdapter });
  return {
    values: () => result.current[0],
    say: (changes: Parameters<(typeof result.current)[1]>[0]) => act(() => result.current[1](changes)),
  };
}

/** What a step back does: the browser shows the entry before, and says so. */
function stepBack(search = ''): void {
  window.history.replaceState({}, '', `${window.location.pathname}?${search}`);
  act(() => void window.dispatchEvent(new Event('popstate')));
}

beforeEach(() => {
  // The library's own clock goes on from test to test.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  await rests();
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a change counts at once for all its readers, and stands in the address when it rests', async () => {
  const page = open('show=locks');
  const other = renderHook(() => useAddress(parameters), { wrapper: NuqsAdapter }).result;
  page.say({ q: 'a' });
  page.say({ q: 'ab', group: true });
  expect(other.current[0]).toMatchObject({ q: 'ab', group: true, show: 'locks' });
  expect(written()).toBe('?show=locks');
  await rests();
  expect(written()).toBe('?show=locks&q=ab&group=true');
});

test.each([
  ['Enter', () => fireEvent.keyDown(document.body, { key: 'Enter' })],
  ['a press', () => fireEvent.pointerDown(document.body)],
])('%s, which may lead away, finds all changes in the address', async (_what, happen) => {
  const page = open();
  page.say({ q: 'ab' });
  await rests();
  page.say({ q: 'abc', group: true });
  fireEvent.keyDown(document.body, { key: 'c' });
  await passes(1);
  expect(written()).toBe('?q=ab');
  act(() => void happen());
  // Sooner than it would rest.
  await passes(100);
  expect(written()).toBe('?q=abc&group=true');
});

test('a press after the changes rest writes nothing', async () => {
  const page = open();
  page.say({ q: 'ab' });
  await rests();
  const replaced = vi.spyOn(window.history, 'replaceState');
  fireEvent.pointerDown(document.body);
  await rests();
  expect(replaced).not.toHaveBeenCalled();
});

test('a search is one visit, however often it is changed, and its entry exists before the list follows', async () => {
  const pushed = vi.spyOn(History.prototype, 'pushState');
  const page = open('show=locks');
  page.say({ q: 'a' });
  expect(pushed).toHaveBeenCalledTimes(1);
  expect(pushed.mock.calls[0]?.[2], 'the earlier visit keeps its address').toBeUndefined();
  await rests();
  for (const q of ['ab', 'abc']) {
    page.say({ q });
    await rests();
  }
  page.say({ group: true });
  await rests();
  expect(pushed).toHaveBeenCalledTimes(1);
  expect(written()).toBe('?show=locks&q=abc&group=true');
  stepBack('show=locks');
  expect(page.values()).toMatchObject({ q: '', show: 'locks' });
  page.say({ q: 'x' });
  expect(pushed).toHaveBeenCalledTimes(2);
});

test('a search stays one visit when the router takes the mark away from its entry', async () => {
  let key = 'before';
  vi.stubGlobal('navigation', {
    get currentEntry() {
      return { key };
    },
  });
  const pushed = vi.spyOn(History.prototype, 'pushState').mockImplementation(() => {
    key += '+';
  });
  const page = open();
  page.say({ q: 'a' });
  await rests();
  window.history.replaceState({ __NA: true }, '');
  page.say({ q: 'ab' });
  await rests();
  expect(pushed).toHaveBeenCalledTimes(1);
  // Typing after a step back is another visit.
  key = 'before';
  stepBack();
  page.say({ q: 'x' });
  expect(pushed).toHaveBeenCalledTimes(2);
});

test('what was not written yet at a step back is not written into the entry before', async () => {
  const page = open();
  page.say({ q: 'ab' });
  stepBack();
  expect(page.values().q).toBe('');
  await rests();
  expect(written()).toBe('');
});

test('a default is not written, and is taken out', async () => {
  const page = open('q=a&show=locks&other=1');
  page.say({ q: '', show: 'all', closed: [] });
  await rests();
  expect(written()).toBe('?other=1');
});

test.each(['', 'a b', 'a+b', 'a/b:c', 'ü&=#%?', '锁', '"\'<>`'])(
  'the text %s comes back from the address',
  async (q) => {
    open().say({ q });
    await rests();
    expect(new URLSearchParams(written()).get('q') ?? '').toBe(q);
  },
);

test('texts come back as they were, commas in them included', async () => {
  open().say({ closed: ['a,b/', 'c/'] });
  await rests();
  expect(textsParameter.read(new URLSearchParams(written()).get('closed'))).toEqual(['a,b/', 'c/']);
});

test('nonsense in an address counts as absent', () => {
  expect(open('show=nonsense&group=1').values()).toMatchObject({ show: 'all', group: false });
});
