import { expect, test } from 'vitest';
import { holder, semaphore } from '@/lib/domain/fixture/world';
import { holdersWith, unlistedHolders, wouldList } from './holders';

const bare = (id: string) => holder(id, 'ghost');
const cut = semaphore({ limit: 4, holders: [bare('g1'), bare('g2')], beyond: { ghost: 3, unknown: 1 } });

test('holders that are only counted are counted', () => {
  expect([holdersWith(cut, 'ghost'), holdersWith(cut, 'unknown'), unlistedHolders(cut)]).toEqual([5, 1, 4]);
});

test('a name that is not on a list that was cut may be recorded all the same, and who has a session may not', () => {
  expect(wouldList(cut, bare('g3'))).toBe(false);
  expect(wouldList(cut, holder('h3'))).toBe(true);
  expect(wouldList(semaphore(), bare('g3'))).toBe(true);
});
