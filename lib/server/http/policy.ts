/**
 * The headers that every answer carries. A page runs scripts that came with it or that those load, talks to this server
 * only, and is never framed: a click on a hidden "evict" would be as good as an attack. Embeds may be framed by
 * whom their grant names, and are read by others, so they are open where the console is shut.
 */

export interface PolicyOptions {
  /** Of this answer alone: base64, at least 128 random bits. */
  readonly nonce: string;
  /** Modules are evaluated as they load, styles are injected, and news of edits come by a web socket. */
  readonly development: boolean;
  /** Sources for `frame-ancestors`. */
  readonly ancestors: string;
}

/** What a source list may hold. Whatever else comes is taken for nobody: one `;` would be a directive of its own. */
const sources = /^('none'|'self'|https?:\/\/[a-z0-9.*:-]+)( ('self'|https?:\/\/[a-z0-9.*:-]+))*$/i;

/** `Content-Security-Policy`, one line. */
export function contentPolicy({ nonce, development, ancestors }: PolicyOptions): string {
  const scripts = `'self' 'nonce-${nonce}' 'strict-dynamic'`;
  return [
    "default-src 'none'",
    // Next puts its data into inline scripts and gives them the nonce that it finds here.
    `script-src ${scripts}${development ? " 'unsafe-eval'" : ''}`,
    // Dialogs keep the page behind them still by a style element, which carries the nonce. Style attributes in HTML
    // are blocked; those that scripts set on elements are not what this is about.
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

/** Those that say the same on every answer. */
const always: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy':
    'accelerometer=(), autoplay=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), ' +
    'magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), usb=(), xr-spatial-tracking=()',
  'origin-agent-cluster': '?1',
};

/** What keeps the console to itself: no window of another site can reach into it, frame it or load parts of it. */
const alone: Readonly<Record<string, string>> = {
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** A year, for this host alone: what else the operator has below its domain is not ours to decide. */
const strictTransport = 'max-age=31536000';

/** All but the content policy. `secure`: people reach this server by https. */
export function headersOf({ embed, secure }: { embed: boolean; secure: boolean }): Record<string, string> {
  return {
    ...always,
    ...(embed ? { 'cross-origin-resource-policy': 'cross-origin' } : alone),
    ...(secure ? { 'strict-transport-security': strictTransport } : {}),
  };
}
