/** Reads names and ids out of a pasted text: a log line, a link, a URL of the backend, a shortened id. */

import { decoded, isNamed, namedIn, namesIn, trimmed } from './named';
import type { Pasted } from './pasted';
import { bareName, entry, type Hay } from './search-index';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const cut = /(?<![0-9a-z])([0-9a-f]{3,12})(?:…|\.\.\.?)([0-9a-f]{3,12})(?![0-9a-z])/g;
const time = /^\d{1,4}[-:/]\d\d[-:/t.\d+z]*$/;

/** More names are a whole page, for which a list of missing names is useless. */
const unseenMax = 3;

/** The names in a text that no row in view has or lies below, as they stand in it. */
export function unseenIn(raw: string, hays: () => readonly Pick<Hay, 'bare'>[]): string[] {
  const named = [...new Map(namedIn(raw.trim()).map((one) => [one.name, one])).values()].slice(0, unseenMax);
  if (named.length === 0) return [];
  const all = hays();
  return named.filter((one) => !all.some(({ bare }) => isNamed(one, bare))).map(({ name }) => name);
}

const around = /[.:!?=]/;

/** Words without the punctuation around them; for `a=b` and `a:b` also the part after. */
function wordsIn(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>|\\，。；：！？、（）【】《》〈〉“”„‘’«»「」『』]+/)
    .map((word) => trimmed(word, around, around))
    .flatMap((word) => {
      const after = /^[a-z_.-]+[=:](?!\/\/)(.+)$/.exec(word)?.[1];
      return after === undefined ? [word] : [word, after];
    })
    .filter((word) => word.length > 1 && !time.test(word));
}

const unique = (texts: readonly string[]) => [...new Set(texts)];

/** Reads a text. Never fails. */
export function readPasted(raw: string): Pasted {
  const text = raw.trim().toLowerCase();
  const plain = decoded(text);
  const whole = plain === null ? text : `${text} ${plain}`;
  const ids = unique(whole.match(uuid) ?? []);
  const words = wordsIn(whole);
  const keys = unique(
    namesIn(text, words)
      .map(bareName)
      .flatMap((name) => [name, name.replace(entry, '')])
      .filter((name) => name.length > 0 && !ids.includes(name)),
  );
  return {
    text,
    readings: unique(plain === null ? [text] : [text, plain.trim()]).map((reading) =>
      reading.split(/\s+/).filter(Boolean),
    ),
    ids,
    shortened: [...whole.matchAll(cut)].map((match) => [match[1] ?? '', match[2] ?? ''] as const),
    keys,
    mentions: new Set(words),
    named: unique(namedIn(raw.trim()).map(({ name }) => name.toLowerCase())),
  };
}
