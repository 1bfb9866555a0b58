import { expect, test } from 'vitest';
import { createTokenSeal } from './sealed-token';

const token = '7f3f4c1e-1111-2222-3333-444455556666';
const id = '00000000-0000-4000-8000-000000000001';
const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];

test('a sealed token opens with every key that is still there, and with no other', () => {
  const sealed = createTokenSeal([old]).seal(token, id);
  expect(createTokenSeal([next, old]).open(sealed, id)).toBe(token);
  expect(createTokenSeal([next]).open(sealed, id)).toBeNull();
  const alone = createTokenSeal([]);
  expect(alone.open(alone.seal(token, id), id)).toBe(token);
  expect(createTokenSeal([]).open(alone.seal(token, id), id)).toBeNull();
});

test('moved to another share, cut short or changed by one bit it opens nothing', () => {
  const seal = createTokenSeal([old]);
  const sealed = seal.seal(token, id);
  expect(seal.open(sealed, id.replace('1', '2'))).toBeNull();
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(seal.open(changed.toString('base64url'), id)).toBeNull();
    expect(seal.open(bytes.subarray(0, at).toString('base64url'), id)).toBeNull();
  }
});

test('the token is not in it, and the same token is sealed otherwise each time', () => {
  const seal = createTokenSeal([old]);
  const [one, two] = [seal.seal(token, id), seal.seal(token, id)];
  expect(one).not.toBe(two);
  expect(Buffer.from(one, 'base64url').includes(token)).toBe(false);
});
