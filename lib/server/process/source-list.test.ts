import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parametersOf } from '@/lib/domain/seam/source-settings';
import { readSources } from './source-list';

const shape = (text?: string) =>
  readSources({ SIGNALBOX_SOURCES: text }).map(({ id, kind, title, address }) => [
    kind,
    id,
    title,
    address.host,
    address.pathname,
  ]);

test('nothing named: one Consul by its own variables, under the id that addresses leave out', () => {
  for (const text of [undefined, '', '  '])
    expect(shape(text)).toEqual([['consul', 'consul', 'Consul', '', '']]);
});

test('each address is a source, with the id that it names or that of its kind', () => {
  expect(
    shape('consul://10.0.0.1:8500?title=East stand-in:///var/lib/locks.json?id=files').map((one) =>
      one.slice(0, 3),
    ),
  ).toEqual([
    ['consul', 'consul', 'East'],
    ['stand-in', 'files', 'files'],
  ]);
  expect(shape('consul://10.0.0.1:8500')[0]?.[3]).toBe('10.0.0.1:8500');
  expect(shape('stand-in:///var/lib/locks.json')[0]?.[4]).toBe('/var/lib/locks.json');
});

test('an address may name several hosts of one server', () => {
  const hosts = (text: string) =>
    readSources({ SIGNALBOX_SOURCES: text }).map((one) => [one.address.host, ...one.hosts]);
  expect(hosts('zookeeper://h1:2181,[::1]:2182/locks?id=zk')).toEqual([['h1:2181', 'h1:2181', '[::1]:2182']]);
  expect(hosts('consul://?id=a')).toEqual([['']]);
});

test.each([
  ['zookeeper://h1:2181,:2182/', 'number 1 is not an address'],
  ['zookeeper://h1,me:secret@h2/', 'zookeeper:// must not hold credentials'],
  ['consul://a?prefixes=a#b', 'consul:// must not hold a #'],
  ['10.0.0.1:8500', 'number 1 is not an address'],
  ['consul://a stand-in', 'number 2 is not an address'],
  ['consul://me:secret@a', 'consul:// must not hold credentials'],
  ['consul://a?id=East', 'the id "East" must be'],
  ['consul://a?id=a!b', 'the id "a!b" must be'],
  ['consul://a?title=', 'the title of consul must have'],
  ['consul://a consul://b', 'two sources have the id consul'],
  [Array.from({ length: 9 }, (_, n) => `consul://a?id=c${n}`).join(' '), 'at most 8 sources'],
])('%s ends the start with one sentence', (text, sentence) => {
  expect(() => readSources({ SIGNALBOX_SOURCES: text })).toThrow(`SIGNALBOX_SOURCES: ${sentence}`);
});

test('a file names one source a line, with comments, and titles of several words', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-list-'));
  try {
    const path = join(folder, 'sources');
    writeFileSync(path, '# both sites\r\nconsul://a?title=East side\t# first\n\n  redis://b?id=jobs\n');
    const read = (env: Record<string, string>) => readSources({ SIGNALBOX_SOURCES_FILE: path, ...env });
    expect(read({}).map(({ id, title }) => [id, title])).toEqual([
      ['consul', 'East side'],
      ['jobs', 'jobs'],
    ]);
    expect(() => read({ SIGNALBOX_SOURCES: 'consul://a' })).toThrow('keep one of them');
    writeFileSync(path, '# nothing yet\n');
    expect(() => read({})).toThrow('names no source');
    expect(() => readSources({ SIGNALBOX_SOURCES_FILE: join(folder, 'none') })).toThrow('cannot be read');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a sentence about a wrong address repeats nothing of it that may be secret', () => {
  for (const text of ['consul://me:hush@a', 'me:hush@a'])
    expect(() => readSources({ SIGNALBOX_SOURCES: text })).toThrow(/^(?!.*hush)/);
});

test('a parameter that the kind does not know is refused', () => {
  const [source] = readSources({ SIGNALBOX_SOURCES: 'consul://a?prefixes=a/&prefix=b/' });
  if (source === undefined) throw new Error('no source');
  expect(parametersOf(source, ['prefixes', 'prefix'])).toEqual({ prefixes: 'a/', prefix: 'b/' });
  expect(() => parametersOf(source, ['prefixes'])).toThrow('consul has prefix, which its kind does not know');
});
