/**
 * The address that a request really comes from: the other end of its socket. Next hands no socket to routes, pages and
 * `proxy.ts`, and passes on whatever `x-forwarded-for` the client wrote. So the address travels in a header of our own
 * that is set as Node begins with a request, over anything that the client sent under that name, together with a number
 * that nobody outside this process knows. Without the number there is no address.
 */
import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const headerName = 'x-signalbox-peer';
/** Node tells of every request on this channel before it hands it to the server. */
const requests = channel('http.server.request.start');

/** Next loads several copies of a module into one process, and they must agree on the number. */
const place = globalThis as typeof globalThis & { [key: symbol]: string | undefined };
const nonceName = Symbol.for('signalbox.peer');

/**
 * The web's `Request` takes no TRACE, so Next would answer by status 500 and print a stack. Under this name, which no
 * address knows, it is refused like any other method.
 */
const unknownMethod = 'X-TRACE';

/** `::ffff:10.0.0.1` is an IPv4 address on a socket that takes both. */
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
 * The path with a percent sign for each that begins no character (`/%`, `/%ff`): Next answers those by status 500, before
 * anything of ours runs. No address of ours has such a path, so this leads to "not found".
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
 * The path with one slash where several stand, none at its end, and `%5C` for a backslash: Next sends those elsewhere by an
 * answer of its own, before anything of ours runs, and so without our headers. A backslash is no slash: to a proxy in front
 * it is a letter like any other, and what it lets pass as `/embed/\..\api` must not be another address here.
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
 * The path with `.` and `..` as names that nobody has, however their dots are written: every client takes such parts out before it
 * asks, and Next would go up by them after a proxy in front has judged the address as it stands.
 */
export function undotted(path: string): string {
  const end = path.search(/[?#]/);
  const name = end === -1 ? path : path.slice(0, end);
  const named = name.replace(/(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi, (dots) => dots.replace(/\.|%2e/gi, '%252E'));
  return named + path.slice(name.length);
}

/**
 * From now on every request of this process carries its peer's address. Once is enough; again does nothing. Returns what ends
 * what it began.
 */
export function observePeers(): () => void {
  if (place[nonceName] !== undefined) return () => {};
  const nonce = randomBytes(16).toString('hex');
  place[nonceName] = nonce;
  const mark = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    // A request line may hold a whole address. Next would lead whoever sent it on to that host, so only the path stays.
    request.url = undotted(singleSlashed(decodable(pathOf(request.url ?? '/'))));
    if (request.method === 'TRACE') request.method = unknownMethod;
    request.headers[headerName] = `${nonce} ${plain(request.socket.remoteAddress ?? '')}`;
  };
  requests.subscribe(mark);
  return () => {
    requests.unsubscribe(mark);
    delete place[nonceName];
  };
}

/** The peer's address; `null` where it is not known. */
export function peerOf(headers: Pick<Headers, 'get'>): string | null {
  const nonce = place[nonceName];
  const [said, address] = (headers.get(headerName) ?? '').split(' ');
  return nonce !== undefined && said === nonce && address ? address : null;
}
