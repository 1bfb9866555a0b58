import { expect, test } from 'vitest';
import * as names from './names';

const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f:41';

test('companions of a name without braces wrap it, those of a name with braces take it as it is', () => {
  expect(names.lockChannel('a:b')).toBe('redisson_lock__channel:{a:b}');
  expect(names.lockChannel('a:{b}')).toBe('redisson_lock__channel:a:{b}');
  expect(names.waiterChannel('a', id)).toBe(`redisson_lock__channel:{a}:${id}`);
  expect(names.readHoldKey('a', id, 2)).toBe(`{a}:${id}:rwlock_timeout:2`);
  expect(names.permitsKey('{a}:b')).toBe('{a}:b:timeout');
  expect(names.latchChannel('a{b}')).toBe('redisson_countdownlatch__channel__{a{b}}');
});

test('a companion names what it belongs to, and a key that is none names nothing', () => {
  for (const name of ['a', 'a:b', 'a:{b}', '{a}:b', 'job:{1}:{2}', '日本'])
    for (const key of [
      names.fencingKey(name),
      names.queueKey(name),
      names.queueTimesKey(name),
      names.permitsKey(name),
      names.readHoldKey(name, id, 1),
      `${names.queueKey(name).replace('redisson_lock_queue', 'redisson_unlock_latch')}:ab12`,
    ])
      expect(names.namesOfCompanion(key), key).toContain(name);
  // Both may have been meant, and both are looked at.
  expect(names.namesOfCompanion(names.permitsKey('{a}'))).toEqual(['a', '{a}']);
  for (const key of ['a', 'a:timeout', 'redisson_other:{a}', ':timeout', ''])
    expect(names.namesOfCompanion(key)).toEqual([]);
});

test('an id of Redisson is told from any other text, and its thread stays text', () => {
  expect(names.redissonIdOf(id)).toEqual({ client: id.slice(0, 36), thread: '41', writer: false });
  expect(names.redissonIdOf(`${id}:write`)?.writer).toBe(true);
  expect(names.redissonIdOf(`${id.slice(0, 36)}:18446744073709551615`)?.thread).toBe('18446744073709551615');
  for (const other of ['mode', `${id}:read`, ` ${id}`, `${id}\n`, id.slice(1), ''])
    expect(names.redissonIdOf(other)).toBeNull();
});

test('a channel tells what is waited for', () => {
  for (const name of ['a', 'a:{b}', '{a}']) {
    expect(names.awaitedOn(names.lockChannel(name))?.names).toContain(name);
    expect(names.awaitedOn(names.waiterChannel(name, id))).toEqual(names.awaitedOn(names.lockChannel(name)));
    expect(names.awaitedOn(names.readWriteChannel(name))?.kind).toBe('read-write');
    expect(names.awaitedOn(names.semaphoreChannel(name))?.kind).toBe('semaphore');
    expect(names.awaitedOn(names.latchChannel(name))).toEqual({ kind: 'latch', names: [name] });
  }
  for (const other of ['redisson_topic:{a}', 'a', '']) expect(names.awaitedOn(other)).toBeNull();
});
