/**
 * Takes secrets out of text on its way to the log. The first guard is that nobody writes one there; this is the
 * second, for what comes from libraries: an error that quotes a request, an address with credentials in it.
 */
import type { Env } from './env';

const censor = '[redacted]';

/** Where a secret stands by its surroundings, whoever's it is. What is kept stands in the first group. */
const places: readonly RegExp[] = [
  // `authorization: …`, `"cookie":"…"`, also within a JSON text within a JSON line.
  /((?:proxy-)?authorization|(?:set-)?cookie|x-consul-token|x-api-key)(\\*["']?\s*[:=,]\s*\[?\s*\\*["']?)[^"'\\\r\n}]+/gi,
  /\b(bearer)(\s+)[\w.~+/=-]{8,}/gi,
  // Of an address: `?token=…`, `&share=…`.
  /([?&;](?:token|share|secret|password|sig|signature|access_token|code))(=)[^&#\s"'\\]+/gi,
  // `scheme://user:password@host`
  /(\/\/[^/\s:@"']*)(:)[^/\s@"']+(?=@)/g,
  // A signed token, wherever it stands.
  /()()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** As it may stand in a text within JSON within JSON: quotes and backslashes with any number of backslashes before them. */
const pattern = (text: string) =>
  text.replace(/[.*+?^${}()|[\]\\/"]/g, (char) =>
    char === '"' ? '\\\\*"' : char === '\\' ? '\\\\+' : `\\${char}`,
  );

/** The ways in which a secret is likely to be written down. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

/** The server's own secrets, as the operator gave them. Short ones would take common words out of every line. */
export function secretsOf(env: Env): string[] {
  const { consul, signIn, embeds, metrics, audit, store } = env;
  const database =
    'postgres' in store && URL.canParse(store.postgres) ? new URL(store.postgres).password : '';
  return [
    consul.token,
    ...signIn.keys,
    ...embeds.keys.map(({ secret }) => secret),
    metrics.token,
    audit.webhookSecret,
    database,
    decoded(database),
  ].filter((secret): secret is string => typeof secret === 'string' && secret.length >= 6);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A shorter one is a word that other texts hold as well. */
const ownLengthMin = 8;

/** A value of plain JSON as it was, without a person's own token in any of its texts. */
export type Discreet = <T>(value: T) => T;

/**
 * Makes what takes these tokens out of every text of a value. People paste what they have just copied: into a reason, or
 * where a name was asked for.
 */
export function createDiscreet(secrets: readonly (string | null)[]): Discreet {
  const own = secrets.filter((secret) => secret !== null && secret.length >= ownLengthMin) as string[];
  if (own.length === 0) return (value) => value;
  const known = new RegExp(own.flatMap(formsOf).map(pattern).join('|'), 'gi');
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(known, censor);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
  };
  return walk as Discreet;
}

/** Makes what takes these secrets, and whatever stands where secrets do, out of a text. */
export function createScrub(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const known = forms.length === 0 ? null : new RegExp(forms.map(pattern).join('|'), 'gi');
  return (text) => {
    const without = known === null ? text : text.replace(known, censor);
    return places.reduce((line, place) => line.replace(place, `$1$2${censor}`), without);
  };
}
