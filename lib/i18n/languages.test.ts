/** For every language: it has everything that English has, in its own words. */
import { describe, expect, test } from 'vitest';
import { formatAge, formatDuration, formatRest } from '@/lib/i18n/format/format';
import { languages } from './messages';

const { en, zh } = languages;

/** Every text and function by its path, such as `board.columns.name`. */
function leaves(of: unknown, path = ''): [string, unknown][] {
  if (typeof of !== 'object' || of === null) return [[path, of]];
  return Object.entries(of).flatMap(([key, value]) => leaves(value, path === '' ? key : `${path}.${key}`));
}

/** A value for every fact that a sentence may ask for: a number, since names and counts read alike for this purpose. */
const anyFacts = new Proxy({}, { get: (_, name) => (name === Symbol.toPrimitive ? () => '7' : 7) });
const codes = { because: 'semaphore', what: 'lock', layout: 'plain', list: '', keys: 'a', ghosts: 7 };

/** A function's sentence for any arguments. `null` for invalid ones. */
function said(text: (...args: unknown[]) => unknown): string | null {
  const facts = new Proxy(codes, {
    get: (known, name) =>
      Object.hasOwn(known, name) ? Reflect.get(known, name) : Reflect.get(anyFacts, name),
  });
  for (const args of [[7, 8, 6, 5], ['x', 'y', 'z'], [facts], ['alive', 'x', null], [[]]])
    try {
      const words = text(...args);
      if (typeof words === 'string' && !/undefined|NaN|\[object/.test(words)) return words;
      if (Array.isArray(words)) return words.join(' ');
    } catch {
      // Not the arguments that it takes: the next ones may be.
    }
  return null;
}

const textsOf = (of: unknown) =>
  leaves(of).map(([path, leaf]): [string, string | null] => [
    path,
    typeof leaf === 'function' ? said(leaf as () => unknown) : (leaf as string | null),
  ]);

test('what stands at the head of a column says of a ≥ what is said at the ≥ itself', () => {
  for (const { columnHelp, since } of [en, zh])
    expect(columnHelp.since.toLowerCase()).toContain(since.atLeastBasis.toLowerCase());
});

test('every language has the same texts and the same functions', () => {
  const shape = (of: unknown) =>
    leaves(of)
      .map(([path, leaf]) => `${path}: ${leaf === null ? 'text' : typeof leaf}`.replace('string', 'text'))
      .sort();
  expect(shape(zh)).toEqual(shape(en));
});

/** Names of Consul, of other programs and of keys on the keyboard, which Chinese writes as they are. */
const names =
  /api\.\w+|consul[ -]\w+( list-peers)?|index is stale|Did not write|semaphore limit conflict|fencing token|Page Down|Page Up|sleep 60|Vault HA|HTTP API|go client/gi;

/** Names, and words that Consul itself writes: the same in every language. */
const alike: readonly string[] = [
  ...['Redis', 'Redlock', 'Redisson FasterMultiLock', 'ZooKeeper'],
  ...['Signalbox', 'TTL', 'consul-esm leader', 'Go api.Lock', 'consul lock'],
  ...['Confluence', 'Notion', 'JSON', 'Enter', 'Esc', 'Ctrl K', "consul lock -n=3 semaphore/demo 'sleep 60'"],
];

describe('Chinese', () => {
  /** Texts in which `pattern` is found, by path. */
  const withAny = (pattern: RegExp) =>
    textsOf(zh).filter(([, text]) => text !== null && pattern.test(text.replaceAll(names, '')));

  test('has no English left in it', () => {
    // Three words of Latin letters in a row are an untranslated sentence.
    expect(withAny(/[a-z]{2,} [a-z]{2,} [a-z]{2,}/i)).toEqual([]);
  });

  test('says nothing as English does, but names and what Consul itself writes', () => {
    const english = new Map(textsOf(en));
    const same = textsOf(zh)
      .filter(([path, text]) => text !== null && /[a-z]{3,}/i.test(text) && text === english.get(path))
      .map(([, text]) => text ?? '');
    expect(same.filter((text) => !/^(x|y|z|7|[ ·/()-])+$/.test(text) && !alike.includes(text))).toEqual([]);
  });

  test('keeps half-width punctuation away from Han characters', () => {
    expect(withAny(/\p{Script=Han}[,;:?!]|\p{Script=Han}\.(\s|$)/u)).toEqual([]);
  });

  test('sets a space between Han and Latin', () => {
    // A span of time arrives with its unit, which is Han already: text after it here joins a bare figure.
    expect(withAny(/\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9](?!内|到|之|后)\p{Script=Han}/u)).toEqual([]);
  });
});

describe('spans of time', () => {
  const plain = (text: string) => text.replaceAll('\u00a0', ' ');
  test.each([
    [0, '0 秒'],
    [850, '850 毫秒'],
    [90_000, '1 分钟 30 秒'],
    [7_500_000, '2 小时 5 分钟'],
    [273_600_000, '3 天 4 小时'],
  ])('%i ms reads %s in Chinese', (ms, text) => {
    expect(plain(formatDuration(ms, zh.units))).toBe(text);
  });
  test('ages and rests follow', () => {
    expect(plain(formatAge(1000, 12_000, zh.units))).toBe('11 秒');
    expect(plain(formatRest(10_001, 10_000, zh.units))).toBe('1 秒');
  });
});
