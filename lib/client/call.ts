/**
 * How a page speaks to the server: it says with each call for whom it was made. A browser has one cookie and many
 * tabs; where somebody else has signed in meanwhile, the server refuses what a page of the first one asks, so that
 * nobody acts, or looks, as another by a page that is still open.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';

/** Carries the `identityKey` of whom the page was made for, percent-encoded. The event stream has it as `?as=`. */
export const personHeader = 'x-signalbox-as';

/** Fired on the window when the server does not know this page's person any more (401). */
export const refusedEvent = 'signalbox:refused';

let person: string | null = null;

/** Whom this page was made for; all calls from here on say so. */
export function speakFor(identity: Identity): void {
  person = identityKey(identity);
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** To ask who this browser is now, whoever the page was made for. */
  readonly asAnybody?: boolean;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly response: Response;
  /** The JSON of the answer; `null` when it is none. */
  readonly answer: unknown;
}

/** Calls the server. Rejects when it cannot be reached, or `signal` aborts. */
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
