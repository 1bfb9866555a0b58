/**
 * A source of `frame-ancestors`: an origin, one with a wildcard for its first label, or `*`. Anything else could add to
 * the header.
 */
export const framePattern = /^(\*|https?:\/\/(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?)$/i;
export const frameLengthMax = 262;

export const isFrame = (text: string): boolean => text.length <= frameLengthMax && framePattern.test(text);
