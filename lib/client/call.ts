/**
 * How a page calls the server: each call names the person for whom the page was made. A browser has one cookie
 * and many tabs. After another sign-in, the server refuses the older pages' calls, so no person acts or reads
 * as another.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';

/** Carries the `identityKey` of the page's person, percent-encoded. The event stream has it as `?as=`. */
export const personHeader = 'x-signalbox-as';

/** Fired on the window when the server no longer knows this page's person (401). */
export const refusedEvent = 'signalbox:refused';

let person: string | null = null;

/** Names the person of this page in all later calls. */
export function speakFor(identity: Identity): void {
  person = identityKey(identity);
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Asks who this browser is now, regardless of the page's person. */
  readonly asAnybody?: boolean;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly response: Response;
  /** The answer's JSON; `null` when it is not JSON. */
  readonly answer: unknown;
}

/** Rejects when the server cannot be reached, or `signal` aborts. */
export async function call(path: string, { method, body, asAnybody = false, signal }: Call): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json, application/problem+json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(person === null || asAnybody ? {} : { [personHeader]: encodeURIComponent(person) }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    cache: 'no-store',
    signal,
  });
  if (response.status === 401 && !asAnybody && typeof window !== 'undefined')
    window.dispatchEvent(new Event(refusedEvent));
  return { response, answer: await response.json().catch(() => null) };
}
