/** A row of the truth table that could not fail would prove nothing: these checks refuse it. */
import { expect, test } from 'vitest';
import { type AllMessages, en } from '@/lib/i18n/messages';
import { forbiddenTexts, vacuous } from '@/quality/truth/forbidden';
import type { Never } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any, filled, many, says } from '@/quality/truth/text';
import { takeTurn } from '@/quality/truth/turn';

const row = (never: (words: AllMessages) => Never, has: (words: AllMessages) => string) => ({
  never,
  after: () => ({}),
  screen: (words: AllMessages) => ({ has: [has(words)] }),
});
const holds = (words: AllMessages) => words.verdicts.alive.word;

test('a row that forbids a verdict forbids it as a state and in every language', () => {
  expect(vacuous(row(() => ({ verdicts: ['ghost'] }), holds))).toEqual([]);
});

test('a row that forbids nothing is refused', () => {
  expect(vacuous(row(() => ({}), holds))).toEqual(['no sentence is forbidden', 'no state is forbidden']);
});

test('a row whose forbidden sentence the product does not have is refused', () => {
  const refused = vacuous(row(() => ({ states: ['free'], texts: ['it is quite dead'] }), holds));
  expect(refused).toEqual(['no sentence of the product: it is quite dead']);
});

test('a row that asks for what it forbids is refused', () => {
  const refused = vacuous(
    row(
      () => ({ states: ['free'] }),
      (words) => words.subject.lock.free,
    ),
  );
  expect(refused).toHaveLength(2);
});

test('each forbidden sentence is found on a page that says it', () => {
  const texts = forbiddenTexts(
    {
      verdicts: ['alive', 'overdue'],
      findings: ['herd', 'flapping'],
      evidence: ['ttl'],
      states: ['delayed'],
    },
    en,
  );
  expect(texts.length).toBeGreaterThan(10);
  for (const text of texts) {
    expect(says(`before ${filled(text)} after`, text), text).toBe(true);
    expect(says('before after', text), text).toBe(false);
  }
  expect(says('Nine slots leak: the sessions', en.subject.semaphore.doubtful.ghost?.(many) ?? '')).toBe(
    false,
  );
  expect(says('Held by a b; its session is alive.', en.subject.lock.held('alive', any, null))).toBe(true);
});

test('a turn that had happened before is refused, and the first one is brought about', async () => {
  const stage = {} as Stage;
  const turn = { bring: async () => {}, took: async () => true };
  await expect(takeTurn(turn, stage, null)).rejects.toThrow('before its turn');
  const done: string[] = [];
  const real = { bring: async () => done.push('first'), took: async () => done.includes('first') };
  const next = {
    first: [real],
    bring: async () => done.push('second'),
    took: async () => done.includes('second'),
  };
  await takeTurn(next, stage, null);
  expect(done).toEqual(['first', 'second']);
});
