/** The sessions and contender entries of one acquire, one of each per slot. */
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import type { Clock } from './clock';
import { type Patience, persist } from './retry';
import { KeptSession } from './session';
import { type Contender, type ContenderNote, type SemaphoreState, writeNote } from './slots';
import { type Taken, take, throwDenied } from './taking';

/** A transaction takes 64 operations: the coordination entry and one for each session must fit. */
export const permitsMax = 60;

/** `permits` from 1 to `permitsMax`, `session.ttlMs` from 10 s to 24 h. */
export interface GroupRequest {
  readonly prefix: string;
  readonly permits: number;
  readonly owner: string;
  readonly session: SessionRequest & { readonly ttlMs: number };
}

/** The write by which an acquire takes slots on arrival. */
export interface Taking {
  /** Adds these holders to the coordination entry, if it has not moved. */
  readonly record: (ids: readonly string[]) => Extract<TxnOp, { verb: 'cas' }>;
  /** As in `holding`. */
  readonly leaseUntil: number | null;
}

function asHolding(note: ContenderNote, leaseUntil: number | null): ContenderNote {
  return {
    ...note,
    state: 'holding',
    ...(leaseUntil === null ? {} : { leaseUntil: Math.round(leaseUntil) }),
  };
}

export interface Entered {
  readonly group: Group;
  /** `null`: no slot was to be taken, another client was faster, or the answer was lost. */
  readonly taken: Taken | null;
  /** Its waiting entries, without their values. */
  readonly contenders: readonly Contender[];
  /** False: an unanswered write may still arrive. */
  readonly answered: boolean;
}

/** Everything that one acquire has in Consul. `enter` creates it, and `end` removes it. */
export class Group {
  private constructor(
    private readonly prefix: string,
    readonly note: ContenderNote,
    readonly sessions: readonly KeptSession[],
  ) {}

  /**
   * Creates the sessions and, in one transaction, all of their entries. The entries carry the semaphore's flags, and a
   * note in the map layout. In the list layout they are empty, as its clients write them. `taking`: the same
   * transaction takes slots, which are free without a waiter. `spare`: a session to use instead of a new one, for one
   * permit. `null`: a session was ended meanwhile.
   */
  static async enter(
    client: ConsulClient,
    { prefix, permits, owner, session }: GroupRequest,
    { flags, shape }: SemaphoreState,
    { clock, patience }: { clock: Clock; patience: Patience },
    { taking, spare }: { readonly taking: Taking | null; readonly spare: KeptSession | null },
  ): Promise<Entered | null> {
    const made = await Promise.allSettled(
      spare === null
        ? Array.from({ length: permits }, () => KeptSession.create(client, session, clock))
        : [spare],
    );
    const sessions = made.flatMap((m) => (m.status === 'fulfilled' ? [m.value] : []));
    const end = () => Promise.allSettled(sessions.map((s) => s.end()));
    try {
      for (const m of made) if (m.status === 'rejected') throw m.reason;
      const note: ContenderNote = {
        v: 1,
        group: sessions[0]?.id ?? '',
        n: permits,
        state: 'waiting',
        owner,
        since: clock.wallMs(),
      };
      const entries = (as: ContenderNote): TxnOp[] => {
        const value = shape === 'map' ? writeNote(as) : Buffer.alloc(0);
        return sessions.map(({ id }) => ({
          verb: 'lock',
          key: `${prefix}/${id}`,
          value,
          flags,
          session: id,
        }));
      };
      const group = new Group(prefix, note, sessions);
      let answered = true;
      if (taking !== null) {
        const holding = entries(asHolding(note, taking.leaseUntil));
        const taken = await take(client, taking.record(group.ids), holding, group.ids);
        if (typeof taken !== 'string') return { group, taken, contenders: [], answered };
        answered = taken !== 'unanswered';
      }
      let tries = 0;
      // A second lock by the same session changes nothing, so a retry is safe.
      const outcome = await persist(() => {
        tries += 1;
        return client.txn(entries(note));
      }, patience);
      if (outcome.done) {
        const own = shape === 'map' ? note : null;
        const contenders = outcome.rows.map((row) => ({
          key: row.key,
          session: row.session ?? '',
          row,
          note: own,
        }));
        return { group, taken: null, contenders, answered: answered && tries === 1 };
      }
      throwDenied(outcome.errors);
      const alive = await Promise.all(sessions.map((s) => s.exists()));
      if (alive.every(Boolean)) throw new Error(`Contender entries refused: ${outcome.errors[0]?.what}`);
      await end();
      return null;
    } catch (error) {
      // Entries end with their sessions. A session that cannot be ended now ends by its TTL.
      await end();
      throw error;
    }
  }

  get id(): string {
    return this.note.group;
  }

  get ids(): string[] {
    return this.sessions.map((s) => s.id);
  }

  /** One of these aborts when the group has lost a session. */
  get lost(): AbortSignal[] {
    return this.sessions.map((s) => s.lost);
  }

  /** Our entries; `null`: one is gone, or no longer locked by its session. */
  entries({ contenders }: SemaphoreState): Contender[] | null {
    const own = this.sessions.flatMap(({ id }) =>
      contenders.filter((c) => c.session === id && c.key === `${this.prefix}/${id}`),
    );
    return own.length === this.sessions.length ? own : null;
  }

  /**
   * Operations for the transaction that takes the slots. It fails unless each session still locks its entry, so no dead
   * holder is recorded. It marks the entries as holding, which wakes the next in the queue.
   */
  holding(entries: readonly Contender[], leaseUntil: number | null): TxnOp[] {
    return entries.map(({ key, session, row, note }) =>
      note === null
        ? { verb: 'check-session', key, session }
        : {
            verb: 'cas',
            key,
            flags: row.flags,
            index: row.modifyIndex,
            value: writeNote(asHolding(this.note, leaseUntil)),
          },
    );
  }

  /**
   * Operations for the transaction that gives everything back: the removal of an unchanged entry. None for several
   * entries, which end with their sessions.
   */
  leaving(entries: readonly KvRow[]): TxnOp[] {
    const [entry, more] = entries;
    const [session] = this.sessions;
    if (entry === undefined || more !== undefined || session === undefined || this.sessions.length > 1)
      return [];
    const { key, modifyIndex: index } = entry;
    return [
      // A deletion of an absent entry succeeds, and an ended session must not be used again.
      { verb: 'check-session', key, session: session.id },
      { verb: 'delete-cas', key, index },
    ];
  }

  /** Ends these sessions with their entries. Throws the first failure. */
  async end(ids: readonly string[] = this.ids): Promise<void> {
    const ended = await Promise.allSettled(
      this.sessions.filter((s) => ids.includes(s.id)).map((s) => s.end()),
    );
    for (const e of ended) if (e.status === 'rejected') throw e.reason;
  }
}
