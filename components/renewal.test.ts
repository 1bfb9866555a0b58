// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renewUnseen } from './renewal';

let reloads: number;
let visibility: DocumentVisibilityState;
let takeBack: () => void;
const see = (state: DocumentVisibilityState) => {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
};
const renew = (build: string) => {
  takeBack = renewUnseen(build, () => {
    reloads += 1;
  });
};

beforeEach(() => {
  reloads = 0;
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
  takeBack();
  renew('three');
  expect(reloads).toBe(2);
});

test.each([
  ['an open dialog', () => document.body.insertAdjacentHTML('beforeend', '<div role="dialog"></div>')],
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
