/**
 * One who may frame the page, as `frame-ancestors` takes it: an origin, one with a wildcard for its first label, or `*`
 * for everybody. Anything else could say more in the header than was asked for.
 */
export const framePattern = /^(\*|https?:\/\/(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?)$/i;
export const frameLengthMax = 262;

/** Whether a text may stand in `frames`. */
export const isFrame = (text: string): boolean => text.length <= frameLengthMax && framePattern.test(text);
