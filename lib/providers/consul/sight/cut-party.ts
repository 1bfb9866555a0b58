/** Cuts one holder or waiter to the view of one sight. */

import { type Evidence, type Party, shortId } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import type { Sight } from './sight';

/** The visible parts of one party. */
export interface Visibility {
  readonly session: boolean;
  readonly health: boolean;
  /** The value of the entry. */
  readonly entry: boolean;
}

const noExpiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null } as const;
export const everything: Visibility = { session: true, health: true, entry: true };
export const isWhole = ({ session, health, entry }: Visibility) => session && health && entry;

const lockedKeys = ({ evidence }: Party) =>
  evidence.flatMap(({ code, detail }) => (code === 'holds-entry' && detail !== null ? [detail] : []));

/** Keys that feed a party's row. */
export const partyKeys = (prefix: string, party: Party): readonly string[] => [
  // A party that wrote nothing and locks nothing has no entry.
  ...(party.value === null ? [] : [contenderKey(prefix, party.sessionId)]),
  ...lockedKeys(party),
];

function mayTell(one: Evidence, seen: Visibility): boolean {
  if (one.code === 'holds-entry' && one.detail !== null) return seen.entry;
  switch (one.source) {
    case 'kv':
      return true;
    case 'catalog':
      return seen.session && seen.health;
    case 'session':
    case 'agent':
      return seen.session;
    default:
      // The limit comes from the coordination entry. All other observations concern the session.
      return seen.session || one.code === 'limit-changed-while-waiting';
  }
}

/** The shortest name that no hidden source contributes to. */
function labelOf<P extends Party>(party: P, seen: Visibility): string {
  if (!seen.session) return shortId(party.sessionId);
  return seen.entry ? party.label : party.session?.name || shortId(party.sessionId);
}

export function partyAs<P extends Party>(party: P, seen: Visibility): P {
  if (isWhole(seen)) return party;
  const told = party.evidence.filter((one) => mayTell(one, seen));
  const { since } = party;
  return {
    ...party,
    session: seen.session ? party.session : null,
    evidence: told.length === party.evidence.length ? told : [...told, fact('evidence-withheld')],
    since: since?.basis === 'value' && !seen.entry ? null : since,
    expiry: seen.session ? party.expiry : noExpiry,
    value: seen.entry ? party.value : null,
    label: labelOf(party, seen),
  };
}

/** `null` when the server does not see the session either, so nothing is left to hide. */
const nodeOf = ({ session }: Party) => session?.node ?? null;

export function seenOf(party: Party, sight: Sight, entry: boolean): Visibility {
  const node = nodeOf(party);
  if (node === null) return entry ? everything : { ...everything, entry };
  return { session: sight.sessions(node), health: sight.health(node), entry };
}

export const bits = ({ session, health, entry }: Visibility) =>
  (session ? 1 : 0) + (health ? 2 : 0) + (entry ? 4 : 0);

/** The holder of a lock with an unreadable record, which may be the source of its name and start. */
export function unrecorded(holder: Party, seen: Visibility): Party {
  const party = partyAs(holder, seen);
  return {
    ...party,
    since: party.since?.basis === 'value' ? null : party.since,
    label: labelOf(holder, { ...seen, entry: false }),
  };
}
