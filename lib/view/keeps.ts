/**
 * Whether what was made for one drawing is kept for the next. A server draws once, and the next time for somebody else: what
 * it kept of one would be a copy of the world with all rows and findings, for as long as it runs.
 */
export const keeps = process.env.NEXT_RUNTIME !== 'nodejs';
