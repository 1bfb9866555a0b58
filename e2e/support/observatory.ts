/**
 * A score of response headers by the published rules of Mozilla's HTTP Observatory (mdn/mdn-http-observatory, as of
 * August 2026). This is our own reading of those rules, for a server that no scanner on the internet can reach. Each
 * rule names its file in that repository; `src/grader/charts.js` has the worth of each result. The scanner's look-ups
 * elsewhere (preload lists) and absent things (redirects to other hosts) count as absent.
 */

export interface Scanned {
  /** The page, asked over https. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly html: string;
  /** `Set-Cookie` lines that a person gets. */
  readonly cookies: readonly string[];
  /** The same page, asked from a foreign `Origin`: the preflight that the scanner sends, or the request itself. */
  readonly crossOrigin: Readonly<Record<string, string | undefined>>;
}

export interface Scan {
  readonly score: number;
  readonly grade: string;
  /** Each test with what it adds or takes. */
  readonly parts: Readonly<Record<string, number>>;
  /**
   * Parts of a policy that the scanner shows and does not score: directives that let every source in, or that are
   * missing.
   */
  readonly open: readonly string[];
}

type Sources = ReadonlySet<string>;

/** Directives in lower case; throws for one that stands twice. */
export function parsePolicy(text: string): ReadonlyMap<string, Sources> {
  const policy = new Map<string, Sources>();
  for (const part of text.split(';')) {
    const [name = '', ...sources] = part.trim().toLowerCase().split(/\s+/);
    if (name === '') continue;
    if (policy.has(name)) throw new Error(`${name} stands twice`);
    policy.set(name, new Set(sources.length === 0 && name.endsWith('-src') ? ["'none'"] : sources));
  }
  return policy;
}

const broad = ['ftp:', 'http:', 'https:', '*', 'http://*', 'http://*.*', 'https://*', 'https://*.*'];
const inline = ["'unsafe-inline'", 'data:'];
const has = (sources: Sources, bad: readonly string[]) => bad.some((one) => sources.has(one));
const nonced = (sources: Sources) => [...sources].some((one) => /^'(nonce|sha(256|384|512))-/.test(one));

/** With a nonce or a hash, browsers overlook `'unsafe-inline'`; with `'strict-dynamic'` also names and schemes. */
function effective(sources: Sources): Sources {
  if (!nonced(sources)) return sources;
  const dynamic = sources.has("'strict-dynamic'");
  return new Set(
    [...sources].filter(
      (one) =>
        one !== "'unsafe-inline'" &&
        !(dynamic && (one === "'self'" || broad.some((start) => one.startsWith(start)))),
    ),
  );
}

/** `src/analyzer/tests/csp.js`, `src/analyzer/cspParser.js`. */
function contentPolicy(header: string | undefined): number {
  if (header === undefined) return -25;
  let policy: ReadonlyMap<string, Sources>;
  try {
    policy = parsePolicy(header);
  } catch {
    return -25;
  }
  const anything = new Set(['*']);
  const of = (name: string) => policy.get(name) ?? policy.get('default-src') ?? anything;
  const scripts = effective(of('script-src'));
  const styles = effective(of('style-src'));
  if (of('script-src').has("'strict-dynamic'") && !nonced(of('script-src'))) return -25;
  if (has(scripts, [...broad, ...inline]) || has(of('object-src'), broad)) return -20;
  const plain = (sources: Iterable<string>) => [...sources].some((one) => /^(http|ftp):/.test(one));
  const active = [...policy].filter(([name]) => !['img-src', 'media-src', 'script-src'].includes(name));
  if (plain(active.flatMap(([, sources]) => [...sources])) || plain(scripts)) return -20;
  if (scripts.has("'unsafe-eval'") || styles.has("'unsafe-eval'")) return -10;
  if (plain(of('img-src')) || plain(of('media-src'))) return -10;
  if (has(styles, [...broad, ...inline])) return 0;
  const nothing = policy.get('default-src');
  return nothing?.size === 1 && nothing.has("'none'") ? 10 : 5;
}

/** The rest of `src/analyzer/tests/csp.js`. These have no fallback: without them there is no bound. */
function openDirectives(header: string | undefined): string[] {
  const policy = parsePolicy(header ?? '');
  const bad = { 'base-uri': [...broad, ...inline], 'form-action': broad, 'frame-ancestors': broad };
  return Object.entries(bad)
    .filter(([name, sources]) => has(policy.get(name) ?? new Set(['*']), sources))
    .map(([name]) => name);
}

/** `src/analyzer/tests/strict-transport-security.js`. */
function strictTransport(header: string | undefined): number {
  if (header === undefined) return -20;
  const seconds = Number(/(?:^|;)\s*max-age=(\d+)/i.exec(header)?.[1] ?? Number.NaN);
  if (header.includes(',') || Number.isNaN(seconds)) return -20;
  return seconds < 15_768_000 ? -10 : 0;
}

/** `src/analyzer/tests/cookies.js`. */
function cookies(lines: readonly string[], transport: number): number {
  let worst: number | null = null;
  const found = (modifier: number) => {
    worst = Math.min(worst ?? modifier, modifier);
  };
  let everyRestricted = true;
  for (const line of lines) {
    const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
    const flags = new Map(
      rest.map((part): [string, string] => {
        const [name = '', value = ''] = part.toLowerCase().split('=');
        return [name, value];
      }),
    );
    const session = /login|sess/i.test(pair.split('=')[0] ?? '');
    const site = flags.get('samesite');
    if (flags.has('samesite') && !['strict', 'lax', 'none'].includes(site ?? '')) found(-20);
    if (!flags.has('secure') && site === 'none') found(-20);
    if (!flags.has('secure')) found(transport === 0 ? -5 : -20);
    if (session && !flags.has('secure')) found(transport === 0 ? -10 : -40);
    if (session && !flags.has('httponly')) found(-30);
    if (/csrf/i.test(pair.split('=')[0] ?? '') && site === undefined) found(-20);
    if (site === undefined) everyRestricted = false;
  }
  if (worst !== null) return worst;
  return lines.length > 0 && everyRestricted ? 5 : 0;
}

/** `src/analyzer/tests/cors.js`. */
function crossOriginSharing(headers: Scanned['crossOrigin']): number {
  const allowed = headers['access-control-allow-origin'];
  return allowed !== undefined && allowed !== '*' && headers['access-control-allow-credentials'] === 'true'
    ? -50
    : 0;
}

/** One word of a header against what each is worth. */
const worth = (value: string | undefined, table: Readonly<Record<string, number>>, absent: number) =>
  value === undefined ? absent : (table[value.trim().toLowerCase()] ?? -5);

/** `src/analyzer/tests/subresource-integrity.js`, for pages whose scripts have none. */
function integrity(html: string): number {
  const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
  if (scripts.some((tag) => /\bsrc="(http:)?\/\//.test(tag))) return -50;
  return scripts.some((tag) => /\bsrc="https:\/\//.test(tag)) ? -5 : 0;
}

const grades = [
  'F',
  'F',
  'F',
  'F',
  'F',
  'D-',
  'D',
  'D',
  'D+',
  'C-',
  'C',
  'C',
  'C+',
  'B-',
  'B',
  'B',
  'B+',
  'A-',
  'A',
  'A',
  'A+',
];

export function scan({ headers, html, cookies: lines, crossOrigin }: Scanned): Scan {
  const transport = strictTransport(headers['strict-transport-security']);
  const policy = headers['content-security-policy'];
  const framing = policy !== undefined && /frame-ancestors/.test(policy);
  const parts: Record<string, number> = {
    'content-security-policy': contentPolicy(policy),
    cookies: cookies(lines, transport),
    'cross-origin-resource-sharing': crossOriginSharing(crossOrigin),
    // `redirection.js`: nothing listens for plain http under this name, so there is nothing to lead away from.
    redirection: 0,
    // The rest are in the files of their names.
    'referrer-policy': worth(
      headers['referrer-policy'],
      { 'no-referrer': 5, 'same-origin': 5, 'strict-origin': 5, 'strict-origin-when-cross-origin': 5 },
      0,
    ),
    'strict-transport-security': transport,
    'subresource-integrity': integrity(html),
    'x-content-type-options': worth(headers['x-content-type-options'], { nosniff: 0 }, -5),
    'x-frame-options': framing ? 5 : worth(headers['x-frame-options'], { deny: 5, sameorigin: 5 }, -20),
    'cross-origin-resource-policy': worth(
      headers['cross-origin-resource-policy'],
      { 'same-origin': 10, 'same-site': 10, 'cross-origin': 0 },
      0,
    ),
    'cross-origin-opener-policy': worth(
      headers['cross-origin-opener-policy'],
      { 'same-origin': 10, 'same-origin-allow-popups': 10, 'noopener-allow-popups': 10, 'unsafe-none': 0 },
      0,
    ),
    'cross-origin-embedder-policy': worth(
      headers['cross-origin-embedder-policy'],
      { 'require-corp': 10, credentialless: 10, 'unsafe-none': 0 },
      0,
    ),
  };
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const without = 100 + sum(Object.values(parts).filter((value) => value < 0));
  // Points beyond the tests count only for a page that passes them.
  const score = Math.max(0, without >= 90 ? 100 + sum(Object.values(parts)) : without);
  const grade = grades[Math.min(20, Math.floor(score / 5))] ?? 'F';
  return { score, grade, parts, open: openDirectives(policy) };
}
