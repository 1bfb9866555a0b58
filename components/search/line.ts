/**
 * What a person pastes at 3 a.m. is rarely a key: it is a log line, a link, a URL of the backend, an id as some
 * screen shortened it. This reads the names and ids out of it. It comes after the page, with what forgives typos.
 */
import { bareName, type Hay } from './hay';
import type { Pasted } from './pasted';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const cut = /(?<![0-9a-z])([0-9a-f]{3,12})(?:…|\.\.\.?)([0-9a-f]{3,12})(?![0-9a-z])/g;
const time = /^\d{1,4}[-:/]\d\d[-:/t.\d+z]*$/;

/** Decoded once; `null` when it is not URL-encoded, or badly. */
function decoded(text: string): string | null {
  if (!/%[0-9a-f]{2}/i.test(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Names inside of links: Consul's API, its interface, and this console's own pages. */
const links = [
  /\/v1\/kv\/([^\s"'<>?#]+)/g,
  /\/ui\/[^/\s]+\/kv\/([^\s"'<>?#]+?)\/edit\b/g,
  /[?&](?:key|prefix|id)=([^\s"'<>&#]+)/g,
];
/** Names that a log line calls by what they are. */
const called = /\b(?:key|lock|semaphore|prefix|path|lock[-_]?key)\s*[=:]\s*("[^"]+"|'[^']+'|[^\s"',;)\]}]+)/g;

/** A quoted word with a slash in it, and the field that it stands in. Bounded, for a whole page may be pasted. */
const quoted =
  /(?:(?<![a-z_-])([a-z_-]{1,40})["']?\s{0,4}[=:]\s{0,4})?(?<![a-z0-9])["'`]([^\s"'`]*\/[^\s"'`]*)["'`]/g;
const fields = /^(?:name|resource|key|lock|semaphore|prefix|path|lock[-_]?key)$/;
/** The same without quotes: `lock a/b`, `key=a/b`. */
const said =
  /\b(?:key|lock|semaphore|prefix|lock[-_]?key)(?:\s*[=:]\s*|\s+)([^\s"'`,;)\]}]+\/[^\s"'`,;)\]}]+)/g;
/** Where in a program a line was written, or an address: no keys. */
const elsewhere = /:\/\/|\.[a-z]{1,4}(?::\d+)?$/;
const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The names that a text is about. A text that is a single name only looks for it. */
function namedIn(text: string): string[] {
  const found: string[] = [];
  for (const link of links)
    for (const match of text.matchAll(link)) if (!/^[?&]id=/.test(match[0])) found.push(match[1] ?? '');
  if (/\s/.test(text)) {
    for (const [, field, name = ''] of text.matchAll(quoted))
      if (field === undefined || fields.test(field)) found.push(name);
    for (const [, name = ''] of text.matchAll(said)) found.push(name.replace(/[.:]+$/, ''));
  }
  return found
    .map((name) =>
      bareName(decoded(name) ?? name).replace(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, ''),
    )
    .filter((name) => name !== '' && !id.test(name) && !elsewhere.test(name));
}

/** Named more often they are a page, of which nobody reads what is missing. */
const unseenMax = 3;

/** Of the names that a text is about, as they stand in it, those that nothing in view has or lies below. */
export function unseenIn(raw: string, hays: () => readonly Pick<Hay, 'bare'>[]): string[] {
  const lower = raw.toLowerCase();
  const named = unique(namedIn(lower.trim())).slice(0, unseenMax);
  if (named.length === 0) return [];
  const all = hays();
  return named
    .filter((name) => !all.some(({ bare }) => bare === name || bare.startsWith(`${name}/`)))
    .map((name) => {
      const at = lower.length === raw.length ? lower.indexOf(name) : -1;
      return at === -1 ? name : raw.slice(at, at + name.length);
    });
}

function keysIn(text: string, words: readonly string[]): string[] {
  const found = [text.replace(/^["'`]|["'`]$/g, '')];
  for (const link of links) for (const match of text.matchAll(link)) found.push(match[1] ?? '');
  for (const match of text.matchAll(called)) found.push((match[1] ?? '').replace(/^["']|["']$/g, ''));
  for (const word of words) if (word.includes('/') && !word.includes('://')) found.push(word);
  return found.flatMap((name) => [name, decoded(name) ?? name]);
}

/** Words without the punctuation around them; of `a=b` and `a:b` also the part after. */
function wordsIn(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>|]+/)
    .map((word) => word.replace(/^[.:!?=]+|[.:!?=]+$/g, ''))
    .flatMap((word) => {
      const after = /^[a-z_.-]+[=:](?!\/\/)(.+)$/.exec(word)?.[1];
      return after === undefined ? [word] : [word, after];
    })
    .filter((word) => word.length > 1 && !time.test(word));
}

const unique = (texts: readonly string[]) => [...new Set(texts)];

/** Reads a text. Nothing in it makes this fail. */
export function readLine(raw: string): Pasted {
  const text = raw.trim().toLowerCase();
  const plain = decoded(text);
  const whole = plain === null ? text : `${text} ${plain}`;
  const ids = unique(whole.match(uuid) ?? []);
  const words = wordsIn(whole);
  const keys = unique(
    keysIn(text, words)
      .map(bareName)
      // A contender's own entry is `<prefix>/<session>`: the name is what stands before it.
      .flatMap((name) => [name, name.replace(/\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')])
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
    named: unique(namedIn(text)),
  };
}
