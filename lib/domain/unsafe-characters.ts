/**
 * Line breaks, other controls and text-direction marks. A name with one could look like another name, or push the rest
 * of its line out of sight. Needs the flag `u`.
 */
export const unfit = '[\\p{Cc}\\u2028\\u2029\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]';
