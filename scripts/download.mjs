import { createHash } from 'node:crypto';

/** A source that is silent for this long is skipped, because people wait for the first start. */
const firstByteMs = 5_000;
/** A download that stands still for this long is given up. */
const stallMs = 15_000;

/**
 * What to add to a failure where the machine has a proxy for this address: Node's `fetch` goes past it, and the network
 * may let nothing else out. `NODE_USE_ENV_PROXY` makes newer versions of Node use it.
 * @param {string} protocol `https:`
 * @param {Readonly<Record<string, string | undefined>>} env
 */
function proxyHint(protocol, env) {
  const variable = `${protocol.slice(0, -1)}_proxy`;
  const name = [variable.toUpperCase(), variable].find((one) => env[one]);
  return name === undefined || env.NODE_USE_ENV_PROXY
    ? ''
    : `. This download does not use the proxy in ${name}. Fetch Consul yourself, and set CONSUL_BIN to the binary`;
}

/**
 * Downloads into memory. Throws a readable sentence when the source cannot be reached, answers without success, or
 * stops in the middle.
 * @param {string} url
 * @param {{ progress?: (done: number, total: number | null) => void, env?: Readonly<Record<string, string | undefined>> }} [options]
 *   `progress`: bytes so far; total `null` = not said. `env`: names the proxy.
 * @returns {Promise<Buffer>}
 */
export async function download(url, { progress = () => {}, env = process.env } = {}) {
  const { host, protocol } = new URL(url);
  let hint = proxyHint(protocol, env);
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), firstByteMs);
  try {
    const response = await fetch(url, { signal: abort.signal });
    // Without the proxy it came this far.
    hint = '';
    if (!response.ok || response.body === null)
      throw new Error(`${host} answered ${response.status} for ${url}`);
    const length = Number(response.headers.get('content-length'));
    const total = length > 0 ? length : null;
    /** @type {Uint8Array[]} */
    const parts = [];
    let done = 0;
    for await (const part of response.body) {
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), stallMs);
      parts.push(part);
      done += part.length;
      progress(done, total);
    }
    return Buffer.concat(parts);
  } catch (cause) {
    if (abort.signal.aborted) throw new Error(`${host} did not answer in time${hint}`, { cause });
    if (cause instanceof TypeError) {
      const inner = /** @type {NodeJS.ErrnoException | undefined} */ (cause.cause);
      const reason = inner?.code ?? inner?.message ?? cause.message;
      throw new Error(`${host} cannot be reached (${reason})${hint}`, { cause });
    }
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {Buffer} bytes
 * @returns {string} in hexadecimal
 */
export function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
