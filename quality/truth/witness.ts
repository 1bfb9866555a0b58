/**
 * Reads the API's events from the start of a console to its end, and compares every state with every row. Forbidden
 * claims must never appear.
 */

import { apply, type Patch } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { languages } from '@/lib/i18n/messages';
import { events } from '@/packages/cli/stream.mjs';
import { forbiddenSaid, intemperate, missing } from '@/quality/truth/said';
import type { Claims } from '@/quality/truth/situation';
import { until } from '@/test/support/until';

export interface Witness {
  /** Resolves when the API makes the demanded claim, before the turn or after it. */
  says(title: string, what: 'from' | 'api', timeoutMs: number): Promise<void>;
  /** From now on, claims of the state before the turn are forbidden. */
  came(title: string): void;
  /** Ends the situations of all other rows. Earlier breaches stay. */
  endOthers(title: string): void;
  /** Breaches so far. `over`: later states belong to another row. */
  faults(title: string, over: boolean): readonly string[];
  /** The breaches of every row that was looked at and is not over. */
  allFaults(): readonly string[];
  /** States received. */
  readonly heard: number;
  end(): Promise<void>;
}

interface Watched {
  readonly claims: Claims;
  readonly faults: Set<string>;
  /** True once `from` was said. */
  began: boolean;
  came: boolean;
  looked: boolean;
}

async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** `open` opens the event stream. */
export async function startWitness(
  open: () => Promise<Response>,
  rows: ReadonlyMap<string, Claims>,
): Promise<Witness> {
  const watched = new Map<string, Watched>(
    [...rows].map(([title, claims]) => [
      title,
      { claims, faults: new Set(), began: claims.from === null, came: false, looked: false },
    ]),
  );
  /** Faults that belong to no row, or to rows that are over. */
  const general = new Set<string>();
  let snapshot: Snapshot | null = null;
  let heard = 0;
  let broken: unknown = null;
  const heldAgainst = (now: Snapshot) => {
    if (!wasRead(now.source)) return;
    heard += 1;
    for (const fault of intemperate(now)) general.add(fault);
    for (const one of watched.values()) {
      const { claims, faults } = one;
      if (claims.from !== null) one.began ||= missing(now, claims.subject, claims.from).length === 0;
      // States are the same in every language.
      const nevers = [claims.never(languages.en), ...(one.came ? [claims.after(languages.en)] : [])];
      for (const never of nevers)
        for (const fault of forbiddenSaid(now, claims.subject, never)) faults.add(`the API says ${fault}`);
    }
  };
  let ended = false;
  const response = await open();
  if (response.status !== 200 || response.body === null)
    throw new Error(`The events of the API are answered with ${response.status}.`);
  const reader = response.body.getReader();
  const read = async () => {
    for await (const { event, data } of events(partsOf(reader))) {
      if (event === 'snapshot') snapshot = JSON.parse(data) as Snapshot;
      else if ((event === 'patch' || event === 'status') && snapshot !== null)
        snapshot = apply(snapshot, JSON.parse(data) as Patch);
      else continue;
      if (snapshot === null) throw new Error('A patch does not join the state before it.');
      heldAgainst(snapshot);
    }
    throw new Error('The events of the API ended.');
  };
  const reading = read().catch((error: unknown) => {
    if (!ended) broken = error;
  });
  const rowOf = (title: string) => {
    const one = watched.get(title);
    if (one === undefined) throw new Error(`${title} is not watched.`);
    return one;
  };
  return {
    says: async (title, what, timeoutMs) => {
      let lacks: readonly string[] = [];
      await until(
        () => {
          const one = rowOf(title);
          if (broken !== null) return true;
          if (what === 'from') return one.began;
          lacks = snapshot === null ? ['nothing yet'] : missing(snapshot, one.claims.subject, one.claims.api);
          return lacks.length === 0;
        },
        { what: `what the API says ${what === 'from' ? 'before the turn' : 'of it'}`, timeoutMs },
      ).catch((error: unknown) => {
        throw new Error(`The API does not say it: ${lacks.join('; ')}`, { cause: error });
      });
      if (broken !== null) throw broken;
    },
    came: (title) => {
      rowOf(title).came = true;
      if (snapshot !== null) heldAgainst(snapshot);
    },
    endOthers: (title) => {
      for (const [other, { faults, looked }] of watched) {
        if (other === title) continue;
        if (looked) for (const fault of faults) general.add(`${other}: ${fault}`);
        watched.delete(other);
      }
    },
    faults: (title, over) => {
      const one = rowOf(title);
      one.looked = true;
      const found = [...one.faults];
      if (over) watched.delete(title);
      return found;
    },
    allFaults: () => {
      if (broken !== null) throw broken;
      return [
        ...general,
        ...[...watched].flatMap(([title, { faults, looked }]) =>
          looked ? [...faults].map((fault) => `${title}: ${fault}`) : [],
        ),
      ];
    },
    get heard() {
      return heard;
    },
    end: async () => {
      ended = true;
      // The request may have been collected with its signal, so the body is cancelled itself.
      await reader.cancel();
      await reading;
    },
  };
}
