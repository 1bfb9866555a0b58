/** A command that reads the same by hand. It names no token: it takes the one in the environment. */
import type { Lock, Semaphore, Session } from '@/lib/domain/model';

/** One word for a POSIX shell, whatever it holds. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Consul's KV path is cleaned on its way (`a//b`, `..`, a slash in front), and refuses control characters and what percent signs
 * may stand for: such keys can only be read by a transaction.
 */
function hasPath(key: string): boolean {
  return !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)|%[\da-f]{2}|\p{Cc}|\u00a0|^\s|\s$/iu.test(key);
}

/** The nearest folder above that a path can name; '' for everything. */
function folderAbove(key: string): string {
  for (let at = key.lastIndexOf('/', key.length - 2); at > 0; at = key.lastIndexOf('/', at - 1))
    if (hasPath(key.slice(0, at + 1))) return key.slice(0, at + 1);
  return '';
}

/** `unix:///run/consul.sock` is a socket, everything else a URL. */
function reach(origin: string): { readonly options: string; readonly base: string } {
  const socket = /^unix:\/\/(.+)$/.exec(origin)?.[1];
  return socket === undefined
    ? { options: '', base: origin.replace(/\/$/, '') }
    : { options: ` --unix-socket ${quoted(socket)}`, base: 'http://localhost' };
}

/** `origin` is the backend that Signalbox reads. */
export function curlText(of: Lock | Semaphore | Session, origin: string): string {
  const { options, base } = reach(origin);
  const curl = `curl -sS -H "X-Consul-Token: $CONSUL_HTTP_TOKEN"${options}`;
  if (!('kind' in of)) return `${curl} ${quoted(`${base}/v1/session/info/${encodeURIComponent(of.id)}`)}`;
  const name = of.kind === 'lock' ? of.key : `${of.prefix}/`;
  // Neither a path nor a transaction may name it, so the list above it is what shows it.
  const key = of.unwritable ? folderAbove(name) : name;
  if (!hasPath(key)) {
    const verb = of.kind === 'lock' ? 'get' : 'get-tree';
    const body = JSON.stringify([{ KV: { Verb: verb, Key: key } }]);
    return `${curl} -X PUT --data-binary ${quoted(body)} ${quoted(`${base}/v1/txn`)}`;
  }
  const path = key.split('/').map(encodeURIComponent).join('/');
  const ask = of.kind === 'lock' && !of.unwritable ? 'consistent' : 'recurse&consistent';
  return `${curl} ${quoted(`${base}/v1/kv/${path}?${ask}`)}`;
}
