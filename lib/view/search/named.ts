/**
 * The names that a longer text links to, quotes or labels. A whole page may be pasted, so every pattern is bounded, and
 * the time grows only with the text.
 */
import { bareAsWritten, entry } from './search-index';

export interface Named {
  /** The name in its own case, without the punctuation around it. */
  readonly name: string;
  /** The name with everything around it up to the next blank or quote, in lower case. Some names end in punctuation. */
  readonly run: string;
}

/** Names inside links: Consul's API, its interface, and this console's own pages. */
const api = /\/v1\/kv\/([^\s"<>?#]{1,2048})/gi;
const ui = /\/ui\/[^/\s]{1,64}\/kv\/([^\s"<>?#]{1,2048})/gi;
const pages = /[?&](?:key|prefix)=([^\s"<>&#]{1,2048})/gi;
/** Names that a log line labels, as in `key=`. */
const called =
  /\b(?:key|lock|semaphore|prefix|path|lock[-_]?key)\s{0,8}[=:]\s{0,8}("[^"]{1,512}"|'[^']{1,512}'|[^\s"',;)\]}]{1,512})/gi;

/** A quoted word with a slash in it, and the field that it stands in. */
const quoted =
  /(?:(?<![a-z_-])([a-z_-]{1,40})["']?\s{0,4}[=:]\s{0,4})?(?<![a-z0-9])["'`“”„‘’«»「」『』](?=[^\s"'`“”„‘’«»「」『』/]{0,512}\/)([^\s"'`“”„‘’«»「」『』]{1,512})["'`“”„‘’«»「」『』]/gi;
const fields = /^(?:name|resource|key|lock|semaphore|prefix|path|lock[-_]?key)$/i;
/** A label before a quoted word, which makes it a name whatever it looks like. */
const calls = /\b(?:key|lock|semaphore|prefix)\s{1,4}$/i;
/**
 * The same without quotes: `lock a/b`, `key=a/b`. The run up to the next blank comes first, then the probable
 * name.
 */
const unquoted =
  /\b(?:key|lock|semaphore|prefix|lock[-_]?key)(\s{0,8}[=:]\s{0,8}|\s{1,8})(?=([^\s"'`]{1,512}))(?=[^\s"'`,;)\]}/]{1,512}\/|\/)([^\s"'`,;)\]}]{1,512})/gi;

/** A place in a program's source, a file by its whole path, or an address: no keys. */
const notKeys =
  /:\/\/|(?:^|\/)v1\/(?:kv|session)\/|^\/(?:v1|ui)\/|\.(?:go|js|jsx|mjs|cjs|ts|tsx|py|rb|rs|java|kt|scala|c|h|cc|cpp|hpp|cs|ex|exs|erl|php|pl|sh|swift)(?::\d{1,9}){0,2}$|^[.~]{0,2}\/[^\s]{0,512}\.[a-z]{1,4}(?::\d{1,9}){0,2}$/i;
/** A count ("2/3"), or a date. */
const counted = /^\d{1,9}(?:\/\d{1,9}){1,2}$/;
/** Quoted words, or words after "lock", that are no keys: media types, and pairs of alternatives. */
const media = /^(?:application|audio|font|image|multipart|text|video)\/[a-z0-9.+-]{1,80}$/i;
const either =
  /^(?:read\/write|acquire\/release|lock\/unlock|create\/delete|start\/stop|get\/put|client\/server|request\/response|semaphore\/lock|lock\/semaphore|leader\/follower)$/i;
/** A part of a name, as opposed to a count, an "and/or" or an "n/a". */
const wordy = /\p{L}{3}|[^\p{ASCII}]/u;

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The signs before and after a name in a text. Dots, dashes and signs at its front may be its own. */
const opens = /[\p{Ps}\p{Pi}\p{Pf}"'`<>*|=,;:!?，；：！？、。]/u;
const closes = /[\p{Po}\p{Ps}\p{Pe}\p{Pi}\p{Pf}`<>|=]/u;
/** A name in a link ends here at the latest; in prose also at a bracket. */
const ends = /['`|\\，。；：！？、…（）【】《》〈〉“”„‘’«»「」『』]/u;
const endsInProse = /[()[\]{}<>'`|\\，。；：！？、…（）【】《》〈〉“”„‘’«»「」『』]/u;
const signs = /[^\p{L}\p{N}\p{M}\p{Cs}]/u;
/** After a name in view: only signs, or one that no name continues with. */
const isOver = /^(?:[^\p{L}\p{N}\p{M}\p{Cs}]{0,2048}$|[_.-]{0,64}[^\p{L}\p{N}\p{M}\p{Cs}/_.-]|\.\.|--)/u;

/** All of them, for the test that each is bounded. */
export const patterns = {
  api,
  ui,
  pages,
  called,
  quoted,
  calls,
  said: unquoted,
  elsewhere: notKeys,
  counted,
  media,
  isOver,
  id,
  entry,
};

export function trimmed(text: string, before: RegExp, after: RegExp): string {
  let from = 0;
  let to = text.length;
  while (from < to && before.test(text[from] ?? '')) from += 1;
  while (from < to && after.test(text[to - 1] ?? '')) to -= 1;
  return text.slice(from, to);
}

/** Without signs at its ends, even those that may belong to the name. */
export const stripped = (text: string) => trimmed(text, signs, signs);

/** Decoded once; `null` when it is not URL-encoded, or badly. */
export function decoded(text: string): string | null {
  if (!/%[0-9a-f]{2}/i.test(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const openers = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
  ['>', '<'],
]);

function nameIn(run: string, end: RegExp): string {
  const opened = trimmed(run, opens, /(?!)/);
  const at = opened.search(end);
  const text = at === -1 ? opened : opened.slice(0, at);
  let name = trimmed(text, opens, closes);
  // A bracket that was opened in a name is closed in it.
  for (;;) {
    const next = text[name.length] ?? '';
    const opener = openers.get(next);
    if (opener === undefined || name.split(opener).length <= name.split(next).length) return name;
    name += next;
  }
}

const plain = (text: string) => bareAsWritten(decoded(text) ?? text).replace(entry, '');

function named(name: string, run: string): Named {
  return { name: plain(name), run: plain(run).toLowerCase() };
}

export function linkedIn(text: string): Named[] {
  const runs: string[] = [];
  for (const [, run = ''] of text.matchAll(api)) runs.push(run);
  // The address of Consul's own page ends in `/edit`.
  for (const [, run = ''] of text.matchAll(ui)) {
    const edit = run.search(/\/edit(?![a-z0-9_/])/i);
    if (edit !== -1) runs.push(run.slice(0, edit));
  }
  for (const [, run = ''] of text.matchAll(pages)) runs.push(run);
  return runs.filter((run) => run.length < 2048).map((run) => named(nameIn(run, ends), run));
}

/** Every possible name in a text that labels, links to or is one: each also without the signs around it. */
export function namesIn(text: string, words: readonly string[]): string[] {
  const candidates = [text];
  for (const [, name = ''] of text.matchAll(called)) candidates.push(name);
  for (const word of words) if (word.includes('/') && !word.includes('://')) candidates.push(word);
  // A sign at the front of a whole text may be part of its name; within a longer text hardly ever.
  const bared = (name: string) =>
    name !== text || /\s/.test(text) ? stripped(name) : trimmed(name, opens, signs);
  return [
    ...candidates.flatMap((name) => [name, decoded(name) ?? name]).flatMap((name) => [name, bared(name)]),
    ...linkedIn(text).flatMap(({ name, run }) => [name, run, trimmed(run, opens, signs)]),
  ];
}

/** The names that a text is about. A text that is a single name only searches for it. */
export function namedIn(text: string): Named[] {
  const names = linkedIn(text).filter(({ name }) => !name.includes('://'));
  const add = (name: string, run: string, isKey: (name: string) => boolean) => {
    const isName = name.includes('/') && !name.includes('?') && !notKeys.test(name) && !counted.test(name);
    if (isName && run.length < 512 && isKey(name)) names.push(named(name, run));
  };
  if (/\s/.test(text)) {
    for (const { 1: field, 2: run = '', index } of text.matchAll(quoted)) {
      const isCalled = field !== undefined || calls.test(text.slice(Math.max(0, index - 20), index));
      if (field === undefined || fields.test(field))
        add(nameIn(run, ends), run, (name) => isCalled || !(media.test(name) || either.test(name)));
    }
    for (const [, between = '', run = '', part = ''] of text.matchAll(unquoted)) {
      const isCalled = /[=:]/.test(between);
      add(nameIn(part, endsInProse), run, (name) => isCalled || isLikeKey(name));
    }
  }
  return names.filter(({ name }) => name !== '' && !id.test(name));
}

function isLikeKey(name: string): boolean {
  return !either.test(name) && name.split('/').filter((part) => wordy.test(part)).length > 1;
}

/**
 * True where a name in view, bare and in lower case, equals the named one, lies below it, or differs only by
 * signs around it.
 */
export function isNamed({ name, run }: Named, bare: string): boolean {
  const lower = name.toLowerCase();
  if (bare === lower || bare === run || bare.startsWith(`${lower}/`)) return true;
  if (bare === '') return false;
  const at = run.indexOf(bare);
  return at !== -1 && stripped(run.slice(0, at)) === '' && isOver.test(run.slice(at + bare.length));
}
