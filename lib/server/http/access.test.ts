import { describe, expect, test } from 'vitest';
import type { AccessControl, Identity } from '@/lib/domain/identity';
import { readEnv } from '@/lib/server/process/env';
import { mayAct, mayLocate, maySee } from './access';

const anonymous: Identity = { kind: 'anonymous' };
const proxy: Identity = { kind: 'proxy', name: 'ann' };
const token: Identity = { kind: 'token', id: '1', name: 'ann' };

const act = (variables: Record<string, string>, control: AccessControl, identity: Identity) => {
  const allowed = mayAct(readEnv(variables), control, identity);
  return allowed.allowed ? allowed.hosts : allowed.reason.code;
};

describe('writing', () => {
  test.each(['on', 'off', 'unknown'] as const)(
    'in read-only mode no person writes, at any other setting (access control %s)',
    (control) => {
      for (const identity of [anonymous, proxy, token])
        expect(
          act(
            { SIGNALBOX_MODE: 'read-only', SIGNALBOX_ACTIONS: 'on', SIGNALBOX_HOST: '127.0.0.1' },
            control,
            identity,
          ),
        ).toBe('read-only-mode');
    },
  );

  test('switched off, no person writes, on this machine neither', () => {
    expect(act({ SIGNALBOX_ACTIONS: 'off', SIGNALBOX_HOST: '127.0.0.1' }, 'on', token)).toBe('actions-off');
  });

  test('with access control on, only a person with a token writes, from anywhere, and this machine alone does not', () => {
    const here = { SIGNALBOX_ACTIONS: 'on', SIGNALBOX_HOST: '127.0.0.1', SIGNALBOX_ANONYMOUS: 'on' };
    expect(act({}, 'on', token)).toBe('any');
    expect(act(here, 'on', anonymous)).toBe('sign-in-to-act');
    expect(act(here, 'on', proxy)).toBe('sign-in-to-act');
  });

  test('while access control is unknown, no person writes', () => {
    const here = { SIGNALBOX_ACTIONS: 'on', SIGNALBOX_HOST: '127.0.0.1' };
    for (const identity of [anonymous, proxy, token])
      expect(act(here, 'unknown', identity)).toBe('access-unknown');
  });

  test('without access control, it is written from this machine alone unless it is switched on', () => {
    expect(act({ SIGNALBOX_HOST: '127.0.0.1' }, 'off', anonymous)).toBe('loopback');
    expect(act({}, 'off', anonymous)).toBe('not-this-machine-alone');
    expect(act({}, 'off', proxy)).toBe('not-this-machine-alone');
    expect(act({ SIGNALBOX_ACTIONS: 'on' }, 'off', anonymous)).toBe('any');
  });
});

describe('looking', () => {
  const see = (variables: Record<string, string>, control: AccessControl, who: Identity, own: boolean) =>
    maySee(readEnv(variables), control, who, own)?.code ?? 'yes';

  test('a signed-in person sees, at any setting', () => {
    for (const control of ['on', 'off', 'unknown'] as const)
      for (const own of [true, false]) expect(see({}, control, token, own)).toBe('yes');
  });

  test('with access control on, no stranger sees unless the operator allows it', () => {
    for (const own of [true, false])
      for (const identity of [anonymous, proxy]) {
        expect(see({}, 'on', identity, own)).toBe('sign-in-to-see');
        expect(see({ SIGNALBOX_ANONYMOUS: 'on' }, 'on', identity, own)).toBe('yes');
      }
  });

  test('without access control every person sees', () => {
    for (const own of [true, false]) expect(see({}, 'off', anonymous, own)).toBe('yes');
  });

  test('while it is not known, a stranger does not see what the server may read by a token of its own', () => {
    expect(see({}, 'unknown', anonymous, true)).toBe('access-unknown');
    expect(see({}, 'unknown', anonymous, false)).toBe('yes');
  });
});

test("a stranger who may not look learns the backend's address on this machine alone", () => {
  const why = { code: 'sign-in-to-see', facts: {} } as const;
  const told = (variables: Record<string, string>, unseen: typeof why | null) =>
    mayLocate(readEnv(variables), unseen);
  expect(told({}, why)).toBe(false);
  expect(told({}, null)).toBe(true);
  expect(told({ SIGNALBOX_HOST: '127.0.0.1' }, why)).toBe(true);
  // A server on loopback with a public address has a proxy in front.
  const proxied = { SIGNALBOX_HOST: '127.0.0.1', SIGNALBOX_URL: 'https://locks.example' };
  expect(told(proxied, why)).toBe(false);
});
