/**
 * Shell commands for Consul, in a plan and in the copy menu. No command holds a token; each takes the one in its
 * environment.
 */

/** One word for a POSIX shell, with any content. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Linux takes no longer argument (`MAX_ARG_STRLEN`, 128 KiB). */
const argumentBytesMax = 100_000;

/** True when a text must come from standard input. */
export const isLong = (text: string): boolean => new TextEncoder().encode(text).length > argumentBytesMax;

/** `input`: for its standard input; `null`: none. */
export interface Command {
  readonly line: string;
  readonly input: string | null;
}

/** No line of base64 or of our JSON is this word. */
const inputEnd = 'END_OF_INPUT';

/** Joins commands, so that each runs only if the one before succeeds. Their inputs stand below the line. */
export function joined(...commands: readonly Command[]): string {
  const inputs = commands.flatMap(({ input }) => (input === null ? [] : [input]));
  const line = commands
    .map((one) => (one.input === null ? one.line : `${one.line} <<'${inputEnd}'`))
    .join(' && ');
  return [line, ...inputs.flatMap((input) => [input, inputEnd])].join('\n');
}

export interface Agent {
  /** `http(s)://host:port`, or `unix:///run/consul.sock`. */
  readonly origin: string;
  /** True when the command sends the token of its environment. */
  readonly token: boolean;
  /** Options of curl for TLS. */
  readonly tls: readonly string[];
  /** Another datacenter than the agent's own. */
  readonly datacenter?: string | undefined;
}

/** A `GET` without `put`, otherwise a `PUT` with that body, or with none for `null`. */
export interface Call {
  readonly path: string;
  readonly put?: string | null;
}

export function curl({ origin, token, tls, datacenter }: Agent, { path, put }: Call): string {
  const dc = datacenter === undefined ? '' : `${path.includes('?') ? '&' : '?'}dc=${datacenter}`;
  const socket = /^unix:\/\/(.+)$/.exec(origin)?.[1];
  const body = put ?? null;
  const long = body !== null && isLong(body);
  const line = [
    'curl -sS',
    ...(put === undefined ? [] : ['-X PUT']),
    ...(token ? ['-H "X-Consul-Token: $CONSUL_HTTP_TOKEN"'] : []),
    ...(socket === undefined ? [] : [`--unix-socket ${quoted(socket)}`]),
    ...tls,
    ...(body === null ? [] : [`--data-binary ${long ? '@-' : quoted(body)}`]),
    quoted(`${socket === undefined ? origin : 'http://localhost'}${path}${dc}`),
  ].join(' ');
  return joined({ line, input: long ? body : null });
}

/**
 * Prints every member `Flags` or `Index` of decimal text as a bare integer: Consul takes nothing else, and a JavaScript
 * number would round it. Inside a JSON string every quote is escaped, so only a real member matches.
 */
export const bareIntegers = (json: string): string =>
  json.replace(/"(Flags|Index)":( ?)"(\d{1,20})"/g, '"$1":$2$3');
