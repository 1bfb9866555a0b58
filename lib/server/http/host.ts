/**
 * The host names to which this server answers. A foreign page can point its own name at this server's address (DNS
 * rebinding), and the `Host` header reveals this. The header is only compared, never used as an address.
 */
import type { Env } from '@/lib/server/process/env';

/** Without a configured URL, a server on all interfaces takes any. */
export function answersTo(host: string | null, { url, loopback }: Pick<Env, 'url' | 'loopback'>): boolean {
  if (url === null && !loopback) return true;
  const requested = parseHost(host);
  if (requested === null) return false;
  if (loopback && isLoopbackName(requested.hostname)) return true;
  // Clients may include or omit a scheme's default port.
  return url !== null && new URL(`${url.protocol}//${requested.host}`).host === url.host;
}

export function isLoopbackName(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** `null` unless the text is exactly a host and an optional port. */
export function parseHost(host: string | null): { readonly host: string; readonly hostname: string } | null {
  if (host === null || !/^[\w.\-:[\]]{1,255}$/.test(host) || !URL.canParse(`http://${host}`)) return null;
  const { hostname } = new URL(`http://${host}`);
  // `host` keeps its port: `URL` would drop the default port of `http:`, which `https:` does not imply.
  return { host: host.toLowerCase(), hostname };
}
