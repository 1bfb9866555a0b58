import { describe, expect, test } from 'vitest';
import { answersTo } from './host';

const at = (url: string | null, loopback: boolean) => ({ url: url === null ? null : new URL(url), loopback });

describe('bound to loopback', () => {
  test.each(['127.0.0.1:3000', 'localhost:3000', 'signalbox.localhost', '[::1]:3000', '127.9.9.9'])(
    '%s is this machine',
    (host) => expect(answersTo(host, at(null, true))).toBe(true),
  );
  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '0.0.0.0',
    'evil.example@localhost',
    'localhost/evil',
    'localhost#',
    'localhost, evil.example',
    '',
    null,
  ])('%s is not, so a name that another site points here is refused', (host) =>
    expect(answersTo(host, at(null, true))).toBe(false),
  );
  test('its address for people is answered as well, when the operator said it', () => {
    expect(answersTo('locks.example', at('https://locks.example', true))).toBe(true);
    expect(answersTo('localhost:3000', at('https://locks.example', true))).toBe(true);
    expect(answersTo('evil.example', at('https://locks.example', true))).toBe(false);
  });
});

describe('bound to more than loopback', () => {
  test('with an address for people, that one alone is answered, with any spelling of its port', () => {
    const env = at('https://locks.example', false);
    expect(answersTo('locks.example', env)).toBe(true);
    expect(answersTo('LOCKS.example:443', env)).toBe(true);
    for (const host of ['locks.example:80', 'locks.example:8443', 'evil.example', 'localhost', '', null])
      expect(answersTo(host, env), String(host)).toBe(false);
    expect(answersTo('locks.example:8443', at('https://locks.example:8443', false))).toBe(true);
  });
  test("without one, the server's name is unknown, so any is answered", () => {
    expect(answersTo('anything.example', at(null, false))).toBe(true);
  });
});
