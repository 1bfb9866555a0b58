import { createHash } from 'node:crypto';

/** A source that is silent for this long is skipped, because people wait for the first start. */
const firstByteMs = 5_000;
/** A download that stands still for this long is given up. */
const stallMs = 15_000;

/**
 * Downloads into memory. Throws a readable sentence when the source cannot be reached, answers without success, or
 * stops in the middle.
 * @param {string} url
 * @param {{ progress?: (done: number, total: number | null) => void }} [options] bytes so far; total `null` = not said
 * @returns {Promise<Buffer>}
 */
export async function download(url, { progress = () => {} } = {}) {
  const { host } = new URL(url);
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), firstByteMs);
  try {
    const response = await fetch(url, { signal: abort.signal });
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
    if (abort.signal.aborted) throw new Error(`${host} did not answer in time`, { cause });
    if (cause instanceof TypeError) {
      const inner = /** @type {NodeJS.ErrnoException | undefined} */ (cause.cause);
      const reason = inner?.code ?? inner?.message ?? cause.message;
      throw new Error(`${host} cannot be reached (${reason})`, { cause });
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
