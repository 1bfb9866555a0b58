import { formatCount } from '@/lib/i18n/format/format';

const plural = new Intl.PluralRules('en');
const small = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Words below ten, digits with separators from there on. */
export function countWord(n: number): string {
  return small[n] ?? formatCount(n);
}

/** `one slot`, `two slots`, `12 slots`. */
export function counted(n: number, one: string, many: string): string {
  return `${countWord(n)} ${plural.select(n) === 'one' ? one : many}`;
}

/** `1 slot`, `12 slots`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
