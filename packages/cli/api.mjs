/** The console's API as a program asks it. The token goes into one header and nowhere else. */
import { readFileSync } from 'node:fs';

/** @typedef {import('../../lib/domain/problem').ProblemCode} ProblemCode */
/**
 * @typedef {{
 *   code: ProblemCode, detail?: string, why?: { code: string, text?: string, facts?: Readonly<Record<string, unknown>> } | null,
 *   difference?: readonly { code: string, text: string }[],
 * }} Problem
 */

export const exit = /** @type {const} */ ({
  done: 0,
  refused: 1,
  usage: 2,
  moved: 3,
  unknown: 4,
  away: 5,
});

/** @type {Readonly<Partial<Record<ProblemCode, number>>>} */
const exitOf = {
  stale: exit.moved,
  'unknown-result': exit.unknown,
  unavailable: exit.away,
  'no-leader': exit.away,
  busy: exit.away,
};

/** Something expected that ends the command. */
export class Failure extends Error {
  /**
   * @param {Problem} problem
   * @param {number} [status] exit status
   */
  constructor(problem, status = exitOf[problem.code] ?? exit.refused) {
    super(problem.detail ?? problem.why?.text ?? problem.code);
    this.problem = problem;
    this.status = status;
    /** The body was not the console's. A proxy in front of it may have answered. */
    this.unread = false;
  }
}

/** @param {string} detail */
export const notUnderstood = (detail) => new Failure({ code: 'invalid', detail }, exit.usage);

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {{ base: URL, token: string | null }}
 */
export function settings(env) {
  const address = env.SIGNALBOX_ADDR?.trim() || 'http://127.0.0.1:3000';
  const base = URL.canParse(address) ? new URL(address) : null;
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '')
    throw notUnderstood('SIGNALBOX_ADDR must begin with http:// or https://, without credentials.');
  const token = secret(env, 'SIGNALBOX_TOKEN') ?? secret(env, 'CONSUL_HTTP_TOKEN');
  if (token !== null && !/^[\x21-\x7e]+$/.test(token))
    throw notUnderstood('The token holds characters that no token has.');
  return { base, token };
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} name
 * @returns {string | null}
 */
function secret(env, name) {
  const path = env[`${name}_FILE`];
  if (!path) return env[name]?.trim() || null;
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    throw notUnderstood(`${name}_FILE names an unreadable file.`);
  }
}

/**
 * A token that crosses a network in the clear is everybody's.
 * @param {{ base: URL, token: string | null }} settings
 * @returns {boolean}
 */
export function inTheClear({ base, token }) {
  return (
    token !== null &&
    base.protocol === 'http:' &&
    !/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(base.hostname)
  );
}

/** @typedef {ReturnType<typeof createApi>} Api */

/** @param {{ base: URL, token: string | null }} settings */
export function createApi({ base, token }) {
  /**
   * @param {string} path
   * @param {RequestInit} init
   */
  const ask = async (path, init) => {
    const response = await fetch(new URL(path, base), {
      ...init,
      // Whoever answers in the console's place must not be handed the token by a redirect.
      redirect: 'manual',
      headers: { ...init.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new Failure({
        code: 'unavailable',
        detail: `${base.origin} answers with a redirect. Is it the console?`,
      });
    }
    return response;
  };
  /**
   * @param {string} path
   * @param {{ body?: unknown, timeoutMs?: number, lost?: ProblemCode }} [options] `lost`: what it means that a link breaks after the request may have been sent
   * @returns {Promise<any>}
   */
  const call = async (path, { body, timeoutMs = 30_000, lost = 'unavailable' } = {}) => {
    /** @type {Response} */
    let response;
    /** @type {unknown} */
    let answer;
    try {
      response = await ask(path, {
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined
          ? {}
          : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      answer = await response.json().catch(() => null);
    } catch (error) {
      throw error instanceof Failure ? error : gone(base, error, lost);
    }
    if (response.ok && answer !== null) return answer;
    throw refusal(answer, response.status, lost);
  };
  return {
    origin: base.origin,
    call,
    /**
     * A stream of events. Throws a `Failure` for an answer that is none.
     * @param {string} path
     * @param {string | null} lastEventId
     * @param {AbortSignal} signal
     * @returns {Promise<ReadableStream<Uint8Array>>}
     */
    stream: async (path, lastEventId, signal) => {
      const response = await ask(path, {
        signal,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
        },
      });
      if (
        response.ok &&
        response.body !== null &&
        /^text\/event-stream/.test(response.headers.get('content-type') ?? '')
      )
        return response.body;
      throw refusal(await response.json().catch(() => null), response.status, 'unavailable');
    },
  };
}

/**
 * @param {unknown} answer
 * @param {number} status
 * @param {ProblemCode} lost
 * @returns {Failure}
 */
function refusal(answer, status, lost) {
  if (typeof answer === 'object' && answer !== null && 'code' in answer && typeof answer.code === 'string')
    return new Failure(/** @type {Problem} */ (answer));
  const code = status >= 400 && status < 500 ? 'invalid' : lost;
  const detail = `The console answered with status ${status}, and an unreadable body.`;
  return Object.assign(new Failure({ code, detail }), { unread: true });
}

/**
 * What broke a connection, below what `fetch` says of it.
 * @param {unknown} error
 */
const causeOf = (error) => (error instanceof Error && error.cause instanceof Error ? error.cause : error);

/**
 * As Node names it: `ECONNREFUSED`.
 * @param {unknown} error
 * @returns {string | null}
 */
export function causeCode(error) {
  const cause = causeOf(error);
  // A DOMException, such as that of a timeout, has a number there.
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
}

/** A certificate that is not accepted: Node's codes, which it takes from OpenSSL. */
const untrusted =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)|^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/;

/**
 * No connection was made, so nothing was sent. A connection that breaks later, such as one that is used again, may have
 * carried the request.
 * @param {unknown} cause
 */
const isUnsent = (cause) =>
  // One error for each address of a name that was tried.
  cause instanceof AggregateError ||
  (cause instanceof Error &&
    (('syscall' in cause && (cause.syscall === 'connect' || cause.syscall === 'getaddrinfo')) ||
      ('code' in cause && (cause.code === 'UND_ERR_CONNECT_TIMEOUT' || untrusted.test(String(cause.code))))));

/**
 * @param {URL} base
 * @param {unknown} error
 * @param {ProblemCode} lost
 */
function gone(base, error, lost) {
  const code = causeCode(error);
  const errno = code === null ? '' : ` (${code})`;
  const late = error instanceof Error && error.name === 'TimeoutError' ? ' in time' : '';
  const detail = `The console at ${base.origin} does not answer${late}${errno}.`;
  if (lost !== 'unknown-result' || !isUnsent(causeOf(error))) return new Failure({ code: lost, detail });
  return new Failure({ code: 'unavailable', detail: `${detail} Nothing was written.` });
}
