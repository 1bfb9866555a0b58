/** The ceremony of an action on one holder. */
import { likelyDead, type Party } from '@/lib/domain/model';
import type { Plan } from './plan';

/** A person types a name only for a holder that may be at work. `nameOf` gives one that a keyboard can write. */
export function frictionOf(
  party: Party | null,
  nameOf: (party: Party) => string,
): Pick<Plan, 'friction' | 'confirmName'> {
  return party === null || likelyDead.has(party.verdict)
    ? { friction: 'reason', confirmName: null }
    : { friction: 'type-name', confirmName: nameOf(party) };
}

/** The label where a keyboard can write it, else another name. */
export const labelOr = ({ label }: Party, other: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(label) ? label : other;
