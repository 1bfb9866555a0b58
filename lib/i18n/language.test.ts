import { describe, expect, test } from 'vitest';
import { chooseLanguage, otherLanguages } from './language';

describe('which language a person reads', () => {
  test.each([
    ['the choice made here wins over the browser', 'zh', 'en-GB,en;q=0.9', 'zh'],
    ['and the other way round', 'en', 'zh-CN', 'en'],
    ['a choice that is not there counts as none', 'tlh', 'zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['a name that every object has is no language', 'constructor', null, 'en'],
    ['the browser’s first language that is there', undefined, 'fr-FR,fr;q=0.9,zh;q=0.5,en;q=0.4', 'zh'],
    ['weights count, not places', undefined, 'zh;q=0.3, en;q=0.7', 'en'],
    ['a language that is ruled out is not taken', undefined, 'zh;q=0,de', 'en'],
    ['whoever reads any Chinese reads this one', undefined, 'zh-TW', 'zh'],
    ['nonsense reads English', undefined, ';;,q=,*;q=0.1', 'en'],
    ['nothing reads English', undefined, null, 'en'],
  ] as const)('%s', (_, cookie, accept, expected) => {
    expect(chooseLanguage(cookie, accept)).toBe(expected);
  });

  test('the switch offers what one does not read now', () => {
    expect(otherLanguages('en')).toEqual(['zh']);
    expect(otherLanguages('zh')).toEqual(['en']);
  });
});
