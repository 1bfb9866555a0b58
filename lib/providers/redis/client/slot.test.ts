import { expect, test } from 'vitest';
import { slotOf } from './slot';

test('a key is in the slot that the cluster specification gives it, and so is all that has its tag', () => {
  // From the specification and from CLUSTER KEYSLOT.
  expect(slotOf('123456789')).toBe(0x31c3);
  expect(slotOf('foo')).toBe(12_182);
  expect(slotOf('redisson_lock_queue:{foo}')).toBe(slotOf('foo'));
  expect(slotOf('a:{foo}:b:{c}')).toBe(slotOf('foo'));
  expect(slotOf(Buffer.from('{foo}:timeout'))).toBe(slotOf('foo'));
  // An empty tag is none.
  expect(slotOf('{}foo')).not.toBe(slotOf(''));
  expect(slotOf('日本')).toBe(slotOf(Buffer.from('日本')));
});
