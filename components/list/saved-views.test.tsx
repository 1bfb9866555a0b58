// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { ownPath, readViews, removeView, saveView, withView } from './saved-views';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});
const stored = () => readViews(localStorage.getItem('signalbox.views'));

test('a saved view is its name and its link, and the moment of a frozen page is not in it', () => {
  expect(saveView({ name: ' night ', path: '/?show=human&q=pay&frozen=17' })).toBe(true);
  expect(stored()).toEqual([{ name: 'night', path: '/?show=human&q=pay' }]);
  removeView('night');
  expect(stored()).toEqual([]);
});

test('a view of the same name takes the place of the other', () => {
  const views = withView(withView([], { name: 'a', path: '/?q=1' }), { name: 'a', path: '/?q=2' });
  expect(views).toEqual([{ name: 'a', path: '/?q=2' }]);
});

test.each([
  null,
  '',
  'rubbish',
  '{}',
  '[1,null,"x",{"name":1}]',
  '[{"name":"","path":"/"}]',
  '[{"name":"x","path":"javascript:alert(1)"}]',
  '[{"name":"x","path":"//evil.example/"}]',
  '[{"name":"x","path":"/\\\\evil.example"}]',
  '[{"name":"x","path":"https://evil.example/"}]',
  '[{"name":"x","path":"/.//evil.example/"}]',
  '[{"name":"x","path":"/lock/..//evil.example/"}]',
  '[{"name":"x","path":"/\\t/evil.example/"}]',
])('rubbish in the store is no view: %s', (text) => {
  expect(readViews(text)).toEqual([]);
});

test('readable views are kept beside unreadable ones', () => {
  expect(readViews('[7,{"name":"n","path":"/sessions?node=a","extra":1}]')).toEqual([
    { name: 'n', path: '/sessions?node=a' },
  ]);
});

test('a view keeps only what the console reads from an address', () => {
  expect(ownPath('/?q=a&token=secret')).toBe('/?q=a');
});

test('a browser that refuses to store has no views, and says so of one that is saved', () => {
  const refuse = () => {
    throw new Error('SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  expect(saveView({ name: 'n', path: '/' })).toBe(false);
});
