/**
 * Each call names the person for whom the page was made. A browser has one cookie and many tabs. After another sign-in,
 * the server refuses the older pages' calls.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';

/** The `identityKey` of the page's person, percent-encoded. The event stream has it as `?as=`. */
export const personHeader = 'x-signalbox-as';

/** Fired on the window at a 401: the server no longer knows this page's person. */
export const refusedEvent = 'signalbox:refused';

let person: string | null = null;

export function speakFor(identity: Identity): void {
  person = identityKey(identity);
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Regardless of the page's person. */
  readonly asAnybody?: boolean;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly response: Response;
  /** `null`: not JSON. */
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
