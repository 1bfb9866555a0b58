/**
 * The forgiving part of the search: a typo in each word, no separators, or one wrong word. It only runs after few
 * literal matches.
 */
import uFuzzy from '@leeoniya/ufuzzy';
import type { Pasted } from './pasted';
import { forgivenMax, type Hay, squash } from './search-index';

/**
 * Latin letters only: patterns for every script cost a hundred times as much, and other scripts still match literally
 * and without separators.
 */
const fuzzy = new uFuzzy({ intraMode: 1, intraSlice: [0, Number.POSITIVE_INFINITY] });

/** A shorter word with a typo looks like another name. */
const lettersMin = 4;
/** A longer text is no name, and its pattern would grow with the square of its length. */
const lettersMax = 120;
/** The share of the typed text that must match when one word is wrong. */
const shareMin = 0.5;
/** A pasted page has thousands of words; a log line has not. */
const wordsMax = 60;
/** Matches that reach this share of the best one count, too. */
const nearBest = 0.9;
/** Each word is searched in every name. */
const partsMax = 6;
/** More results than this are useless to a person. */
const closeMax = 200;
/** Beyond this, the best ones are not ranked. */
const rankedMax = 1000;

/** The texts to forgive typos in: all that was typed, or the words of a whole line that look like names. */
function needlesOf(pasted: Pasted): string[] {
  if (pasted.named.length > 0) return [...pasted.named];
  const [words = []] = pasted.readings;
  if (words.length <= 3) return pasted.readings.map((reading) => reading.join(' '));
  return [...pasted.mentions]
    .slice(0, wordsMax)
    .filter((word) => /[/_.-]/.test(word) && !pasted.ids.includes(word) && squash(word).length > lettersMin);
}

/** Only letters and digits: the library reads a minus and quotes as commands. */
const spaced = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();

/**
 * Places that may hold every word with one error in it. An error touches at most two neighbouring thirds of a word, so
 * one third matches literally, which is ten times cheaper to find.
 */
function candidates(haystack: readonly string[], words: readonly string[]): number[] {
  const thirds = words.flatMap((word) => {
    const third = Math.floor(word.length / 3);
    return third < 2 ? [] : [[word.slice(0, third), word.slice(third, 2 * third), word.slice(2 * third)]];
  });
  const places: number[] = [];
  for (const [place, text] of haystack.entries())
    if (thirds.every((pieces) => pieces.some((piece) => text.includes(piece)))) places.push(place);
  return places;
}

/**
 * The distinct words; `null` for too many. The library tries repeated or numerous words at every combination of places:
 * `a a a … z` in a name of 200 times `a` would not end.
 */
function soundNeedle(text: string): string | null {
  const words = [...new Set(spaced(text).split(' '))];
  return words.length > partsMax ? null : words.join(' ');
}

/** The best first. */
function ranked(haystack: string[], needle: string): number[] {
  const places = fuzzy.filter(haystack, needle, candidates(haystack, needle.split(' ')));
  if (places === null || places.length === 0) return [];
  if (places.length > rankedMax) return places;
  const info = fuzzy.info(places, haystack, needle);
  return fuzzy.sort(info, haystack, needle).flatMap((place) => info.idx[place] ?? []);
}

/** Places that hold most of the needle's words, those with most letters first. */
function partly(haystack: string[], needle: string): number[] {
  const words = [...new Set(needle.split(' '))].filter((word) => word.length > 2).slice(0, partsMax);
  if (words.length < 2) return [];
  const letters = new Map<number, number>();
  for (const word of words)
    for (const place of fuzzy.filter(haystack, word, candidates(haystack, [word])) ?? [])
      letters.set(place, (letters.get(place) ?? 0) + word.length);
  const all = words.join('').length;
  return [...letters]
    .filter(([, n]) => n >= all * shareMin)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .filter(([, n], _i, [best]) => n >= (best?.[1] ?? 0) * nearBest)
    .map(([place]) => place);
}

/** The closest first. */
export function closeTo(pasted: Pasted, hays: readonly Hay[]): number[] {
  const names = hays.map((hay) => hay.forgiving);
  const squashed = hays.map((hay) => hay.squashed);
  const close = new Set<number>();
  for (const text of needlesOf(pasted)) {
    const needle = spaced(text);
    const squashedText = squash(text);
    if (squashedText.length < lettersMin || text.length > lettersMax) continue;
    const sound = soundNeedle(text);
    const places = sound === null ? [] : ranked(names, sound);
    for (const place of places) close.add(place);
    if (places.length === 0) for (const place of ranked(squashed, squashedText)) close.add(place);
    // A key that a line names may have a typo; a name with only some of its words is another key.
    if (close.size === 0 && pasted.named.length === 0)
      for (const place of partly(names, needle)) close.add(place);
    if (close.size >= closeMax) break;
  }
  return [...close].slice(0, closeMax);
}

/** The ranges of a text that resemble the typed one: begins and ends, one after the other. */
export function closeRanges(pasted: Pasted, text: string): number[] {
  const lower = text.toLowerCase();
  if (lower.length > forgivenMax) return [];
  for (const typed of needlesOf(pasted)) {
    for (const needle of [soundNeedle(typed) ?? '', ...spaced(typed).split(' ')]) {
      if (needle.length < lettersMin || needle.length > lettersMax) continue;
      const places = fuzzy.filter([lower], needle);
      if (places === null || places.length === 0) continue;
      const [ranges] = fuzzy.info(places, [lower], needle).ranges;
      if (ranges !== undefined && ranges.length > 0) return ranges;
    }
  }
  return [];
}
