// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renewUnseen } from './renewal';

let reloads: number;
let visibility: DocumentVisibilityState;
let takeBack: () => void;
let there: boolean;
const see = (state: DocumentVisibilityState) => {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
};
const renew = (build: string) => {
  takeBack = renewUnseen(
    build,
    () => there,
    () => {
      reloads += 1;
    },
  );
};

beforeEach(() => {
  reloads = 0;
  there = true;
  visibility = 'visible';
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
});
afterEach(() => {
  takeBack();
  sessionStorage.clear();
  document.body.innerHTML = '';
  history.replaceState(null, '', '/');
});

test('a page is loaded anew when nobody looks, once for each build of the server', () => {
  renew('two');
  expect(reloads).toBe(0);
  see('hidden');
  expect(reloads).toBe(1);
  // It came back as the old build: the server is two servers just now.
  takeBack();
  renew('two');
  expect(reloads).toBe(1);
  // And what it is loaded as now is told of the other.
  for (const build of ['three', 'two', 'three', 'two']) {
    takeBack();
    renew(build);
  }
  expect(reloads).toBe(2);
});

test('a page is not loaded anew while the server is away: what it shows is all that there is', () => {
  there = false;
  renew('two');
  see('hidden');
  expect(reloads).toBe(0);
  there = true;
  see('visible');
  see('hidden');
  expect(reloads).toBe(1);
});

test.each([
  ['an open dialog', () => document.body.insertAdjacentHTML('beforeend', '<div role="dialog"></div>')],
  [
    'something that is chosen',
    () => document.body.insertAdjacentHTML('beforeend', '<input type="checkbox" checked>'),
  ],
  ['a moment that is kept', () => history.replaceState(null, '', '/?frozen=1732250000000')],
])('%s is not lost by it', (_, hold) => {
  hold();
  renew('two');
  see('hidden');
  expect(reloads).toBe(0);
});

test('what was taken back does not happen', () => {
  renew('two');
  takeBack();
  see('hidden');
  expect(reloads).toBe(0);
});
