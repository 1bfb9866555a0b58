// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Memory, memoryOfAddress, memoryOfTab, renewUnseen } from './reload-on-upgrade';

let reloads: number;
let visibility: DocumentVisibilityState;
let takeBack: () => void;
let there: boolean;
const see = (state: DocumentVisibilityState) => {
  visibility = state;
  document.dispatchEvent(new Event('visibilitychange'));
};
const renew = (build: string, memory?: Memory) => {
  takeBack = renewUnseen(
    build,
    () => there,
    memory,
    () => {
      reloads += 1;
    },
  );
};

beforeEach(() => {
  reloads = 0;
  takeBack = () => {};
  there = true;
  visibility = 'visible';
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
});
afterEach(() => {
  takeBack();
  Reflect.deleteProperty(document, 'visibilityState');
  document.body.innerHTML = '';
});

test.each([
  ['a tab', memoryOfTab],
  ['an address', memoryOfAddress],
])('a hidden page reloads once for each build of the server, by the memory of %s', (_, memory) => {
  renew('two', memory);
  expect(reloads).toBe(0);
  see('hidden');
  expect(reloads).toBe(1);
  // It came back as the old build: two servers are running just now.
  takeBack();
  renew('two', memory);
  expect(reloads).toBe(1);
  // The reloaded page also learns of the other build.
  for (const build of ['three', 'two', 'three', 'two']) {
    takeBack();
    renew(build, memory);
  }
  expect(reloads).toBe(2);
});

test('where nothing can be kept a page stays as it is', () => {
  const refuse = () => {
    throw new DOMException('sandboxed', 'SecurityError');
  };
  renew('two', { read: refuse, write: refuse });
  see('hidden');
  expect(reloads).toBe(0);
});

test('the grant in the address of an embed stays there, and the memory is sent nowhere', () => {
  history.replaceState(null, '', '/embed/v1/lock?share=S');
  memoryOfAddress.write('two three');
  expect(location.pathname + location.search).toBe('/embed/v1/lock?share=S');
  expect(location.hash).not.toBe('');
  expect(memoryOfAddress.read()).toBe('two three');
});

test('a page does not reload while the server is away', () => {
  there = false;
  renew('two');
  see('hidden');
  expect(reloads).toBe(0);
  there = true;
  see('visible');
  expect(reloads).toBe(0);
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

test('a cancelled reload does not happen', () => {
  renew('two');
  takeBack();
  see('hidden');
  expect(reloads).toBe(0);
});
