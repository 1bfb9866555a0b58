/**
 * The part of the search that forgives typos, and the part that reads a pasted line, come after the page: at the latest in
 * idle moments, and who searches earlier sees the list follow when they have come. The server waits for them. Where they do
 * not come, only what is there to the letter is found, until it is tried again.
 */
import { use } from 'react';

type Forgiving = typeof import('./typo') & typeof import('./line');

const triedAgainMs = 10_000;

let come: Forgiving | null = null;
let coming: Promise<Forgiving | null> | null = null;

/** It, if it has come. */
export function forgivingAtHand(): Forgiving | null {
  return come;
}

/** A promise of which React can tell that a render need not wait for it. */
const atOnce = (value: Forgiving): Promise<Forgiving> =>
  Object.assign(Promise.resolve(value), { status: 'fulfilled', value });

/** Fetches it, once: `null` when it does not come, and a later call tries again. Never rejects. */
export function fetchForgiving(): Promise<Forgiving | null> {
  if (come !== null) return atOnce(come);
  coming ??= Promise.all([import('./typo'), import('./line')]).then(
    ([typo, line]) => {
      come = { ...typo, ...line };
      // A promise that was made in a render keeps all of that page, in a server for as long as it runs.
      coming = null;
      return come;
    },
    () => {
      setTimeout(() => {
        coming = null;
      }, triedAgainMs);
      return null;
    },
  );
  return coming;
}

// The server has it before anybody asks, so that it draws what is found at once.
if (typeof window === 'undefined') void fetchForgiving();

let first: Promise<Forgiving | null> | null = null;

/**
 * Before `text` is searched for: a render waits here until it can be done with typos forgiven, or that could not be fetched at
 * the first try. What comes later is there for the next search. A hook.
 */
export function useForgiving(text: string): Forgiving | null {
  if (text.trim() === '') return null;
  // Once it has come, the wait for it is over for everybody; see `coming`.
  if (come !== null) first = null;
  else first ??= fetchForgiving();
  // Asked each time, also when it has come: React forgets its place in a component that waited and then does not ask.
  use(first ?? fetchForgiving());
  return come;
}
