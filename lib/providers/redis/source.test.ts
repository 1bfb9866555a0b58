import { expect, test } from 'vitest';
import { readSources } from '@/lib/server/process/source-list';
import { originOf } from './client/settings';
import { redisSource } from './source';

const of = (text: string) => {
  const [source] = readSources({ SIGNALBOX_SOURCES: text, SECRET: 'hush' });
  if (source === undefined) throw new Error('no source');
  return redisSource(source);
};

test('an address is a Redis with its names, its way in and what it is told of semaphores', () => {
  expect(of('redis://127.0.0.1:6379?id=jobs&title=Jobs&prefixes=job:,pool:')).toEqual({
    id: 'jobs',
    title: 'Jobs',
    topology: { kind: 'single' },
    endpoints: [{ host: '127.0.0.1', port: 6379 }],
    database: 0,
    tls: null,
    user: null,
    password: null,
    prefixes: ['job:', 'pool:'],
    redlock: [],
    semaphores: [],
  });
  expect(of('rediss://[::1]:7000/3?user=box&password-env=SECRET&server-name=redis.internal')).toMatchObject({
    endpoints: [{ host: '::1', port: 7000 }],
    database: 3,
    tls: { serverName: 'redis.internal' },
    user: 'box',
    password: 'hush',
    prefixes: [''],
  });
  expect(of('redis://a,b:7001?topology=cluster').endpoints).toEqual([
    { host: 'a', port: 6379 },
    { host: 'b', port: 7001 },
  ]);
  expect(of('redis://a,b?master=jobs')).toMatchObject({
    topology: { kind: 'sentinel', master: 'jobs' },
    endpoints: [{ port: 26_379 }, { port: 26_379 }],
  });
  expect(of('redis://a?semaphores=pool:db:5,gate,slot:7:').semaphores).toEqual([
    { name: 'pool:db', limit: 5 },
    { name: 'gate', limit: null },
    { name: 'slot:7', limit: null },
  ]);
  expect(of('redis://a?redlock=rl:&prefixes=a,ab,b')).toMatchObject({
    redlock: ['rl:'],
    prefixes: ['a', 'b'],
  });
});

test('what is shown of an address holds no secret', () => {
  expect(originOf(of('rediss://[::1],b:1/2?master=m&user=box&password-env=SECRET'))).toBe(
    'rediss://[::1]:26379,b:1/2',
  );
});

test.each([
  ['redis://a?prefix=a', 'redis has prefix, which its kind does not know'],
  ['redis://a,b', 'redis has several hosts; say topology=cluster'],
  ['redis://a?topology=ring', 'topology of redis must be single, cluster or sentinel'],
  ['redis://a?topology=sentinel', 'redis must name the master'],
  ['redis://a?topology=cluster&master=m', 'redis has a master, which only sentinels know'],
  ['redis://a/x', 'redis has the path /x'],
  ['redis://a/1?topology=cluster', 'redis has the database 1; a cluster has only'],
  ['redis://a?prefixes=,', 'prefixes of redis names nothing'],
  ['redis://a?semaphores=a:0', 'semaphores of redis has a:0, which is not'],
  ['redis://a?semaphores=a,a:3', 'semaphores of redis has a twice'],
  ['redis://a?server-name=x', 'redis has server-name, which needs rediss://'],
  ['redis://a?user=box', 'redis has a user and no password'],
])('%s ends the start with one sentence', (text, sentence) => {
  expect(() => of(text)).toThrow(`SIGNALBOX_SOURCES: ${sentence}`);
});
