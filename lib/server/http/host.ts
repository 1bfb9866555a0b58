/**
 * Which names this server answers to. A page elsewhere can point a name of its own at this server's address, and the
 * browser then takes what it loads for that page's own (DNS rebinding); the `Host` header gives it away. It is only
 * ever compared: nothing that a request says is used as an address.
 */
import type { Env } from '@/lib/server/process/env';

/** Is this `Host` header one that the server answers to? An operator who said nothing, and listens to all, gets any. */
export function answersTo(host: string | null, { url, loopback }: Pick<Env, 'url' | 'loopback'>): boolean {
  if (url === null && !loopback) return true;
  const asked = parseHost(host);
  if (asked === null) return false;
  if (loopback && isLoopbackName(asked.hostname)) return true;
  // A port that a scheme implies is left out or not, as the client likes.
  return url !== null && new URL(`${url.protocol}//${asked.host}`).host === url.host;
}

/** A name that means this machine itself, whoever asks. */
export function isLoopbackName(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** `null` for what is no host and port, and nothing else. */
export function parseHost(host: string | null): { readonly host: string; readonly hostname: string } | null {
  if (host === null || !/^[\w.\-:[\]]{1,255}$/.test(host) || !URL.canParse(`http://${host}`)) return null;
  const { hostname } = new URL(`http://${host}`);
  // `host` as it was said: the port that `http:` implies would be lost otherwise, and `https:` implies another.
  return { host: host.toLowerCase(), hostname };
}
