/**
 * Whether a rendering's results are cached for the next one. A server renders the next time for another person: the
 * cache would be a copy of the world for as long as it runs.
 */
export const cachesViews = process.env.NEXT_RUNTIME !== 'nodejs';
