/** The same by hand: shell commands for someone who has no console left. They never hold a token. */
import { type ConsulSettings, origin } from '@/lib/consul/settings';
import { type TxnOp, txnBody, writeJson } from '@/lib/consul/wire';

/** One word for a POSIX shell, whatever it holds. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A line that the shell skips. Control characters are written as escapes, so that it stays one line. */
export function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}`;
}

function curl(settings: ConsulSettings, path: string, body: string | null): string {
  const { tls, socketPath, token } = settings;
  const base = socketPath === null ? origin(settings) : 'http://localhost';
  return [
    'curl -sS -X PUT',
    ...(token === null ? [] : ['-H "X-Consul-Token: $CONSUL_HTTP_TOKEN"']),
    ...(socketPath === null ? [] : [`--unix-socket ${quoted(socketPath)}`]),
    ...(tls.ca === null ? [] : ['--cacert "$CONSUL_CACERT"']),
    ...(tls.cert === null ? [] : ['--cert "$CONSUL_CLIENT_CERT"']),
    ...(tls.key === null ? [] : ['--key "$CONSUL_CLIENT_KEY"']),
    ...(tls.verify ? [] : ['-k']),
    ...(body === null ? [] : [`--data-binary ${quoted(body)}`]),
    quoted(`${base}${path}`),
  ].join(' ');
}

/** Destroying a session. */
export function curlDestroy(settings: ConsulSettings, sessionId: string): string {
  return curl(settings, `/v1/session/destroy/${encodeURIComponent(sessionId)}`, null);
}

/** A transaction, with exact flags and indexes: what the console itself sends. It works for any key. */
export function curlTxn(settings: ConsulSettings, ops: readonly TxnOp[]): string {
  return curl(settings, '/v1/txn', writeJson(txnBody(ops)).toString('utf8'));
}
