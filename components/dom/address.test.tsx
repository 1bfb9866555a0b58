// @vitest-environment happy-dom
import { act, cleanup, fireEvent, renderHook } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putAddress } from '@/components/fixture/address';
import { flagParameter, oneOf, textParameter, textsParameter } from '@/lib/view/url-parameter';
import { useAddress } from './address';

/** The router has the query that it last returned with, which may be older than the address. */
const router = vi.hoisted(() => ({ search: '', path: '', listeners: new Set<() => void>() }));

vi.mock('next/navigation', () => {
  const subscribe = (listener: () => void) => {
    router.listeners.add(listener);
    return () => router.listeners.delete(listener);
  };
  return {
    useSearchParams: () => new URLSearchParams(useSyncExternalStore(subscribe, () => router.search)),
    usePathname: () => useSyncExternalStore(subscribe, () => router.path),
  };
});

const routerHas = (search: string) =>
  act(() => {
    router.search = search;
    router.path = window.location.pathname;
    for (const listener of router.listeners) listener();
  });
const rests = () => act(() => vi.advanceTimersByTime(1_000));
const written = () => window.location.search;

const parameters = {
  q: textParameter,
  show: oneOf(['all', 'locks'], 'all'),
  group: flagParameter,
  closed: textsParameter,
};

function open(search = '') {
  putAddress(search);
  routerHas(search);
  const { result } = renderHook(() => useAddress(parameters));
  return {
    values: () => result.current[0],
    say: (changes: Parameters<(typeof result.current)[1]>[0]) => act(() => result.current[1](changes)),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('what is said counts at once for all who read it, and stands in the address when it rests', () => {
  const page = open('show=locks');
  const other = renderHook(() => useAddress(parameters)).result;
  page.say({ q: 'a' });
  page.say({ q: 'ab', group: true });
  expect(other.current[0]).toMatchObject({ q: 'ab', group: true, show: 'locks' });
  expect(written()).toBe('?show=locks');
  rests();
  expect(written()).toBe('?show=locks&q=ab&group=true');
});

test.each([
  ['Enter', () => fireEvent.keyDown(document.body, { key: 'Enter' })],
  ['a press', () => fireEvent.pointerDown(document.body)],
])('%s, which may lead away, finds it in the address', (_what, happen) => {
  const page = open();
  page.say({ q: 'ab' });
  act(() => void happen());
  expect(written()).toBe('?q=ab');
});

test('what was typed since is not taken back when the router comes with what was written before', () => {
  const page = open();
  page.say({ q: 'a' });
  rests();
  page.say({ q: 'ab' });
  rests();
  page.say({ q: 'abc' });
  routerHas('q=a');
  expect(page.values().q).toBe('abc');
  rests();
  routerHas('q=ab');
  expect(page.values().q).toBe('abc');
  page.say({ q: 'abcd' });
  routerHas('q=abc');
  expect(page.values().q, 'all that was written is there, and not all that was typed').toBe('abcd');
  rests();
  routerHas('q=abcd');
  expect(page.values().q).toBe('abcd');
});

test('an address that comes from elsewhere is shown, whatever was written before it', () => {
  const page = open();
  page.say({ q: 'a' });
  rests();
  routerHas('q=a');
  routerHas('show=locks');
  expect(page.values()).toMatchObject({ q: '', show: 'locks' });
});

test('what was said of one page is not written into the address of the next', () => {
  const page = open();
  page.say({ q: 'a' });
  putAddress('');
  routerHas('');
  expect(page.values().q).toBe('');
  rests();
  expect(written()).toBe('');
});

test('a search is one visit, however often it is changed: back shows what was there before it', () => {
  const pushed = vi.spyOn(window.history, 'pushState');
  const page = open('show=locks');
  for (const q of ['a', 'ab', 'abc']) {
    page.say({ q });
    rests();
  }
  page.say({ group: true });
  rests();
  expect(pushed).toHaveBeenCalledTimes(1);
  expect(written()).toBe('?show=locks&q=abc&group=true');
  // The visit exists before the list follows the typed text, and the earlier visit keeps its address.
  expect(pushed.mock.calls[0]?.[2]).toBeUndefined();
  putAddress('show=locks');
  routerHas('show=locks');
  page.say({ q: 'x' });
  expect(pushed).toHaveBeenCalledTimes(2);
});

test('what was not written yet when somebody goes back is not written into where they come to', () => {
  const page = open();
  const { pathname } = window.location;
  page.say({ q: 'ab' });
  window.history.replaceState(null, '', pathname);
  act(() => void window.dispatchEvent(new Event('popstate')));
  expect(page.values().q).toBe('');
  rests();
  expect(written()).toBe('');
});

test('going back before the router has come with what was written shows what was there before', () => {
  const page = open();
  const { pathname } = window.location;
  page.say({ q: 'ab' });
  rests();
  expect(written()).toBe('?q=ab');
  window.history.replaceState(null, '', pathname);
  act(() => void window.dispatchEvent(new Event('popstate')));
  // The router has its old query again: it never returned with the written one.
  routerHas('');
  expect(page.values().q).toBe('');
  page.say({ q: 'x' });
  rests();
  routerHas('q=x');
  routerHas('show=locks');
  expect(page.values()).toMatchObject({ q: '', show: 'locks' });
});

test('a search stays one visit when a refresh of the router takes the mark away from it', () => {
  let key = 'before';
  vi.stubGlobal('navigation', {
    get currentEntry() {
      return { key };
    },
  });
  const pushed = vi.spyOn(window.history, 'pushState').mockImplementation(() => {
    key += '+';
    window.history.replaceState({}, '');
  });
  const page = open();
  page.say({ q: 'a' });
  rests();
  window.history.replaceState({ __NA: true }, '');
  page.say({ q: 'ab' });
  rests();
  expect(pushed).toHaveBeenCalledTimes(1);
  // Typing after a step back is another visit.
  key = 'before';
  window.history.replaceState({ __NA: true }, '');
  page.say({ q: 'x' });
  expect(pushed).toHaveBeenCalledTimes(2);
});

test('what goes without saying is not written, and is taken out', () => {
  const page = open('q=a&show=locks&other=1');
  page.say({ q: '', show: 'all', closed: [] });
  rests();
  expect(written()).toBe('?other=1');
});

test.each(['', 'a b', 'a+b', 'a/b:c', 'ü&=#%?', '锁', '"\'<>`'])(
  'the text %s comes back from the address',
  (q) => {
    open().say({ q });
    rests();
    expect(new URLSearchParams(written()).get('q') ?? '').toBe(q);
  },
);

test('texts come back as they were, commas in them included', () => {
  open().say({ closed: ['a,b/', 'c/'] });
  rests();
  expect(textsParameter.read(new URLSearchParams(written()).get('closed'))).toEqual(['a,b/', 'c/']);
});

test('what makes no sense counts as not said', () => {
  expect(open('show=nonsense&group=1').values()).toMatchObject({ show: 'all', group: false });
});
