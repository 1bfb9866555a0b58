/**
 * The headers of every answer. A page runs only scripts that came with it or that those load, and connects only to this
 * server. No site may frame it: a click on a hidden "evict" would be an attack. Embeds may be framed by the sites of
 * their grant.
 */

export interface PolicyOptions {
  /** Base64, at least 128 random bits. */
  readonly nonce: string;
  /** Development evaluates modules, injects styles and reloads over a web socket. */
  readonly development: boolean;
  /** Sources for `frame-ancestors`. */
  readonly ancestors: string;
}

/** Any other text counts as `'none'`, as a `;` would start another directive. */
const sources = /^('none'|'self'|https?:\/\/[a-z0-9.*:-]+)( ('self'|https?:\/\/[a-z0-9.*:-]+))*$/i;

/** `Content-Security-Policy`, one line. */
export function contentPolicy({ nonce, development, ancestors }: PolicyOptions): string {
  const scripts = `'self' 'nonce-${nonce}' 'strict-dynamic'`;
  return [
    "default-src 'none'",
    // Next puts its data into inline scripts and gives them the nonce from here.
    `script-src ${scripts}${development ? " 'unsafe-eval'" : ''}`,
    // Dialogs stop the page's scrolling with a style element, which carries the nonce. CSP does not limit styles that
    // scripts set on elements.
    `style-src 'self' ${development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws:' : ''}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${sources.test(ancestors) ? ancestors : "'none'"}`,
  ].join('; ');
}

/** The same on every answer. */
const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), ' +
    'magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), usb=(), xr-spatial-tracking=()',
  'origin-agent-cluster': '?1',
};

/** No window of another site can reach into the console, frame it or load parts of it. */
const alone: Readonly<Record<string, string>> = {
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** A year, for this host only: subdomains are the operator's to decide. */
const strictTransport = 'max-age=31536000';

/** All but the content policy. `secure`: people use https. */
export function headersOf({ embed, secure }: { embed: boolean; secure: boolean }): Record<string, string> {
  return {
    ...always,
    ...(embed ? { 'cross-origin-resource-policy': 'cross-origin' } : alone),
    ...(secure ? { 'strict-transport-security': strictTransport } : {}),
  };
}
