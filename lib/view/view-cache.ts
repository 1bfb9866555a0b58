/**
 * True when the next rendering may use the results of this one. A server renders the next time for another person, and
 * a cache would be a copy of the world for as long as it runs.
 */
export const cachesViews = process.env.NEXT_RUNTIME !== 'nodejs';
