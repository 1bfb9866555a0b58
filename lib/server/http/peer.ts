/**
 * The real address of a request: the other end of its socket. Next hands no socket to routes, pages and `proxy.ts`, and
 * passes on any `x-forwarded-for` of the client. So a header of our own carries the address. It is set before anything
 * else reads the request, over a client's header of that name, with a number that only this process knows. Without the
 * number there is no address.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const headerName = 'x-signalbox-peer';

/** Next loads several copies of a module into one process; all must share the number. */
const place = globalThis as typeof globalThis & { [key: symbol]: string | undefined };
const nonceName = Symbol.for('signalbox.peer');

/**
 * The web's `Request` rejects TRACE, so Next would answer 500 and print a stack. An unknown method is refused like any
 * other.
 */
const unknownMethod = 'X-TRACE';

/** `::ffff:10.0.0.1` is an IPv4 address on a dual-stack socket. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  if (!URL.canParse(url)) return '/';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

/**
 * Escapes malformed percent signs (`/%`, `/%ff`), which Next answers with 500 before our code runs. No address of ours
 * has such a path, so the result is "not found".
 */
export function decodable(path: string): string {
  const end = path.search(/[?#]/);
  const name = end === -1 ? path : path.slice(0, end);
  try {
    decodeURIComponent(name);
    return path;
  } catch {
    return name.replaceAll('%', '%25') + path.slice(name.length);
  }
}

/**
 * Merges slashes, drops the last one and turns a backslash into `%5C`. Next redirects those before our code runs, and
 * so without our headers. A backslash must not count as a slash: to a proxy in front it is a plain character, and
 * `/embed/\..\api` that passes there must not be another address here.
 */
export function singleSlashed(path: string): string {
  const end = path.search(/[?#]/);
  const name = end === -1 ? path : path.slice(0, end);
  return (
    name
      .replaceAll('\\', '%5C')
      .replace(/\/+/g, '/')
      .replace(/(?<=.)\/$/, '') + path.slice(name.length)
  );
}

/**
 * Turns `.` and `..` segments, in any spelling, into names that do not exist. Clients resolve such segments themselves;
 * Next would resolve them after a proxy in front has judged the raw path.
 */
export function undotted(path: string): string {
  const end = path.search(/[?#]/);
  const name = end === -1 ? path : path.slice(0, end);
  const named = name.replace(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, (dots) => dots.replace(/\.|%2e/gi, '%252E'));
  return named + path.slice(name.length);
}

/** Prepares a request for all code behind: its address in one spelling, and the peer's address in a header. */
export function normalizeRequest(request: IncomingMessage): void {
  place[nonceName] ??= randomBytes(16).toString('hex');
  // A request line may contain an absolute URL. Next would redirect to that host, so only the path stays.
  request.url = undotted(singleSlashed(decodable(pathOf(request.url ?? '/'))));
  if (request.method === 'TRACE') request.method = unknownMethod;
  request.headers[headerName] = `${place[nonceName]} ${plain(request.socket.remoteAddress ?? '')}`;
}

/** The peer's address; `null` where unknown. */
export function peerOf(headers: Pick<Headers, 'get'>): string | null {
  const nonce = place[nonceName];
  const [sentNonce, address] = (headers.get(headerName) ?? '').split(' ');
  return nonce !== undefined && sentNonce === nonce && address ? address : null;
}
