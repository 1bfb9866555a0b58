/**
 * The share of all streams that one caller may hold. Without it one client takes every place of a shared credential:
 * the server's own where Consul asks for no tokens, or a team's token. An address holds streams for 200 people, like
 * its budgets (`limits.ts`). A person named by a proxy has a share of their own. A token names no single person, so its
 * viewpoint's maximum and its users' addresses limit it.
 */
import type { Why } from '@/lib/domain/refusal';
import { type Asker, networkOf } from '@/lib/server/http/limits';

export interface Places {
  /** The reason for which this caller gets no stream; `null`: there is a place. */
  refusal(asker: Asker): Why | null;
  /** Takes a place. The returned function gives it back; call it once. */
  take(asker: Asker): () => void;
}

/** Shares of the 1,000 streams of one credential, and of the 6,000 of the process. */
const sharesDefault = { address: 500, person: 100 } as const;

const namesOf = ({ identity, address }: Asker) => ({
  address: `address ${networkOf(address)}`,
  person: identity.kind === 'proxy' ? `person ${identity.name}` : null,
});

/** Memory grows with open streams alone. */
export function createPlaces(
  shares: { readonly address: number; readonly person: number } = sharesDefault,
): Places {
  const openStreams = new Map<string, number>();
  const count = (name: string, by: 1 | -1) => {
    const now = (openStreams.get(name) ?? 0) + by;
    if (now === 0) openStreams.delete(name);
    else openStreams.set(name, now);
  };
  const giveBack = (names: readonly string[]) => () => {
    for (const name of names) count(name, -1);
  };
  return {
    refusal: (asker) => {
      const { address, person } = namesOf(asker);
      if (person !== null && (openStreams.get(person) ?? 0) >= shares.person)
        return { code: 'too-many-pages-of-person', facts: { max: shares.person } };
      return (openStreams.get(address) ?? 0) >= shares.address
        ? { code: 'too-many-pages-of-address', facts: { max: shares.address } }
        : null;
    },
    take: (asker) => {
      const names = Object.values(namesOf(asker)).filter((name) => name !== null);
      for (const name of names) count(name, 1);
      return giveBack(names);
    },
  };
}
