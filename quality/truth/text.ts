/**
 * Texts that a page must or must not show, in the words of the product (`lib/i18n`) and in any language. Placeholders
 * stand for times and counts.
 */
import { formatCount } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';

/** Stands for an unknown text: a label, an instant, a span. */
export const any = '\ue000';
/** Stands for a count or a span of more than one. No page shows this figure otherwise. */
export const many = 7_654_321;

/** The figure's forms in sentences: a count, with separators, as milliseconds in seconds, its square. */
const figures = [formatCount(many * many), formatCount(many), `${many}`, `${Math.round(many / 100) / 10}`];
const longest = 200;

/** The form for comparison, as a page may break lines anywhere, and joins figures with units. */
export const even = (text: string) => text.replace(/[\s\u00a0\u2009]+/g, ' ').trim();

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The pattern that finds the text on a page. Throws for a text that every page contains. */
export function pattern(text: string): RegExp {
  const parts = figures
    .reduce((rest, figure) => rest.replaceAll(figure, '\ue001'), even(text))
    .split(/([\ue000\ue001])/);
  if (!parts.some((part) => /[\p{L}\p{N}\p{P}\p{C}]/u.test(part) && !/^[\ue000\ue001.。]*$/.test(part)))
    throw new Error(`A page says ${JSON.stringify(text)} in any case.`);
  const source = parts.map((part) =>
    part === any ? `.{0,${longest}}?` : part === '\ue001' ? '[\\p{L}\\p{N}][\\p{L}\\p{N},.]*' : escaped(part),
  );
  return new RegExp(source.join(''), 'u');
}

const patterns = new Map<string, RegExp>();

/** True when a page that shows `shown` contains the text. */
export function says(shown: string, text: string): boolean {
  const known = patterns.get(text) ?? pattern(text);
  patterns.set(text, known);
  return known.test(shown);
}

/** The words for any number of slots, holders and waiters. */
export const anySlots = ({ subject: { semaphore } }: AllMessages): string[] =>
  [0, many].flatMap((waiting) => [
    semaphore.slots(many, many, many, waiting),
    semaphore.slots(many, many, 0, waiting),
  ]);

/** A text with example values in its placeholders. */
export const filled = (text: string) => even(text.replaceAll(any, 'x-1'));
