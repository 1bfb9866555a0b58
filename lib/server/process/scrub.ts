/**
 * Removes secrets from text for the log. No code logs one; this second guard covers libraries: an error that quotes a
 * request, an address with credentials.
 */
import type { Env } from './env';

const censor = '[redacted]';

/** The first group is kept. */
const places: readonly RegExp[] = [
  // `authorization: …`, `"cookie":"…"`, also within a JSON text within a JSON line.
  /((?:proxy-)?authorization|(?:set-)?cookie|x-consul-token|x-api-key)(\\*["']?\s*[:=,]\s*\[?\s*\\*["']?)[^"'\\\r\n}]+/gi,
  /\b(bearer)(\s+)[\w.~+/=-]{8,}/gi,
  // Secrets in an address: `?token=…`, `&share=…`.
  /([?&;](?:token|share|secret|password|sig|signature|access_token|code))(=)[^&#\s"'\\]+/gi,
  // `scheme://user:password@host`
  /(\/\/[^/\s:@"']*)(:)[^/\s@"']+(?=@)/g,
  // A signed token, anywhere.
  /()()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** Within nested JSON quotes and backslashes may have any number of backslashes before them. */
const pattern = (text: string) =>
  text.replace(/[.*+?^${}()|[\]\\/"]/g, (char) =>
    char === '"' ? '\\\\*"' : char === '\\' ? '\\\\+' : `\\${char}`,
  );

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

/** Short ones would remove common words from every line. */
export function secretsOf(env: Env): string[] {
  const { consul, sources, signIn, embeds, metrics, audit, store } = env;
  const database =
    'postgres' in store && URL.canParse(store.postgres) ? new URL(store.postgres).password : '';
  return [
    consul.token,
    ...sources.flatMap(({ credentials }) => [credentials.token, credentials.password]),
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

/** A shorter token is a word that other texts contain too. */
const ownLengthMin = 8;

export type Discreet = <T>(value: T) => T;

/**
 * Removes these tokens from every text of a value: people paste what they have just copied, for example into a reason.
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

/** Removes these secrets, and anything in a secret's usual place, from a text. */
export function createScrub(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const known = forms.length === 0 ? null : new RegExp(forms.map(pattern).join('|'), 'gi');
  return (text) => {
    const without = known === null ? text : text.replace(known, censor);
    return places.reduce((line, place) => line.replace(place, `$1$2${censor}`), without);
  };
}
