import { expect, test } from 'vitest';
import { contentPolicy, headersOf } from './policy';

const policy = (ancestors: string, development = false) =>
  contentPolicy({ nonce: 'bm9uY2U', development, ancestors });

test.each([
  "'none'",
  "'self'",
  'https://wiki.example',
  'https://*.example:8443 http://10.0.0.1',
  'https://*:* http://*:*',
])('a named origin may frame it: %s', (ancestors) =>
  expect(policy(ancestors)).toMatch(
    new RegExp(`; frame-ancestors ${ancestors.replaceAll(/[.*]/g, '\\$&')}$`),
  ),
);

test.each([
  "https://a.example; script-src 'unsafe-inline'",
  'https://a.example\r\nset-cookie: a=b',
  '',
  '*',
  'data:',
  "https://a.example 'unsafe-inline'",
])('an origin that would add to the header is no origin: %j', (ancestors) =>
  expect(policy(ancestors)).toMatch(/; frame-ancestors 'none'$/),
);

test('nothing unsafe is allowed but in development', () => {
  expect(policy("'none'")).not.toContain('unsafe');
  expect(policy("'none'", true)).toContain('unsafe-eval');
});

test('https is promised only over https, and the console alone keeps to itself', () => {
  expect(headersOf({ embed: false, secure: false })).not.toHaveProperty('strict-transport-security');
  expect(headersOf({ embed: true, secure: true })).toHaveProperty('strict-transport-security');
  expect(headersOf({ embed: false, secure: true })).toMatchObject({
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(headersOf({ embed: true, secure: true })).not.toHaveProperty('x-frame-options');
});
