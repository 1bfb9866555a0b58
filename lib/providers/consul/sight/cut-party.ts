/** One holder or waiter, cut to what one sight may see of it. */

import { type Evidence, type Party, shortId } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import type { Sight } from './sight';

/** What of one party may be seen. */
export interface Visibility {
  readonly session: boolean;
  readonly health: boolean;
  /** What it wrote. */
  readonly entry: boolean;
}

const noExpiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null } as const;
export const everything: Visibility = { session: true, health: true, entry: true };
export const isWhole = ({ session, health, entry }: Visibility) => session && health && entry;

/** By what it is known that a party is there: the entry that it locks, where that is told. */
const lockedKeys = ({ evidence }: Party) =>
  evidence.flatMap(({ code, detail }) => (code === 'holds-entry' && detail !== null ? [detail] : []));

/** Keys of which something is in the row of a party. */
export const partyKeys = (prefix: string, party: Party): readonly string[] => [
  // Where it wrote nothing and locks nothing there is no entry to keep.
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
    case 'signalbox':
      // A limit is in the coordination entry. What else Signalbox saw is about the session.
      return seen.session || one.code === 'limit-changed-while-waiting';
  }
}

/** The shortest name that is not from what may not be seen: where it is from is not told. */
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

/** `null` where the session is not in view of the server either: of that there is nothing to keep. */
const nodeOf = ({ session }: Party) => session?.node ?? null;

export function seenOf(party: Party, sight: Sight, entry: boolean): Visibility {
  const node = nodeOf(party);
  if (node === null) return entry ? everything : { ...everything, entry };
  return { session: sight.sessions(node), health: sight.health(node), entry };
}

export const bits = ({ session, health, entry }: Visibility) =>
  (session ? 1 : 0) + (health ? 2 : 0) + (entry ? 4 : 0);

/** The holder of a lock whose record may not be read: that is where its name and its beginning may be from. */
export function unrecorded(holder: Party, seen: Visibility): Party {
  const party = partyAs(holder, seen);
  return {
    ...party,
    since: party.since?.basis === 'value' ? null : party.since,
    label: labelOf(holder, { ...seen, entry: false }),
  };
}
