import { expect, test } from 'vitest';
import { decodable, singleSlashed, undotted } from './peer';

test.each([
  ['/%', '/%25'],
  ['/%ff/a%2Fb?q=%', '/%25ff/a%252Fb?q=%'],
  ['/%e0%a4%a', '/%25e0%25a4%25a'],
])('a path that cannot be decoded (%s) is led to an unused name', (path, led) => {
  expect(decodable(path)).toBe(led);
  expect(() => decodeURIComponent(decodable(path).split('?')[0] ?? '')).not.toThrow();
});

test.each(['/', '/lock?key=%', '/lock?key=a%2Fb#%', '/a%20b/%E9%94%81', '/%25'])(
  '%s stays as it is',
  (path) => {
    expect(decodable(path)).toBe(path);
  },
);

test.each([
  ['/other//path?x=//y', '/other/path?x=//y'],
  ['//evil.example/', '/evil.example'],
  ['/\\evil.example\\', '/%5Cevil.example%5C'],
  ['/embed/\\..\\api/v1//snapshot?x=\\', '/embed/%5C..%5Capi/v1/snapshot?x=\\'],
  ['///', '/'],
  ['/sessions/?node=a/', '/sessions?node=a/'],
  ['/', '/'],
  ['/?q=//', '/?q=//'],
])('%s has single slashes and none at its end: %s', (path, led) => {
  expect(singleSlashed(path)).toBe(led);
});

test.each([
  ['/embed/../api/v1/snapshot?x=/../', '/embed/%252E%252E/api/v1/snapshot?x=/../'],
  ['/embed/%2e%2E/.%2e/api', '/embed/%252E%252E/%252E%252E/api'],
  ['/./healthz', '/%252E/healthz'],
  ['/sessions/..', '/sessions/%252E%252E'],
  ['/embed/v1/badge.svg', '/embed/v1/badge.svg'],
  ['/a/.../.b/b.', '/a/.../.b/b.'],
])('%s leads nowhere else than it says: %s', (path, led) => {
  expect(undotted(path)).toBe(led);
  expect(new URL(led, 'http://x').pathname).toBe(led.split('?')[0]);
});
