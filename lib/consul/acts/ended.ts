/** Which sessions have ended, of those that a list does not name. */
import type { Reply } from '@/lib/consul/client/client';
import { seesEverySession } from '@/lib/consul/client/session-sight';
import type { SessionRow, TxnOp } from '@/lib/consul/client/wire';
import { ProblemError } from '@/lib/domain/problem';
import type { ActContext } from './fresh';

const none: ReadonlySet<string> = new Set();

/**
 * Those of `ids` that have ended, as far as reading tells: the ones that nothing is known to keep out of the list. Enough to show;
 * before anything is written for it `askEnds` asks for each. `list` was read after whatever names them; `null`: it could not be.
 * What the token may see is asked for only where one is missing.
 */
export async function endedOf(
  { client, signal }: Pick<ActContext, 'client' | 'signal'>,
  ids: Iterable<string>,
  list: Reply<readonly SessionRow[]> | null,
): Promise<ReadonlySet<string>> {
  if (list === null || list.filtered) return none;
  const missing = new Set(ids);
  // Consul does not tell letter case apart in the name of a session.
  const listed = new Set(list.value.map(({ id }) => id.toLowerCase()));
  for (const id of missing) if (listed.has(id.toLowerCase())) missing.delete(id);
  return missing.size > 0 && (await seesEverySession(client, signal)) ? missing : none;
}

/** What Consul says of sessions when it is asked for each; of one in neither it does not say. */
export interface Ends {
  readonly ended: ReadonlySet<string>;
  readonly there: ReadonlySet<string>;
}

/** Sessions in one transaction, two operations each; Consul before 1.14 takes 64. */
const asksMax = 32;

/**
 * Asks Consul itself, by a transaction that it never makes: to lock a key for the session, and that the key is absent after that.
 * It is answered whatever sessions the token may see, for to lock needs the right to the key alone. So a rule that hides the
 * sessions of one node, which no list tells of, makes nobody a ghost who is at work. The key is one below `prefix` that nobody
 * locks: a lock-delay would refuse it before the session is looked at. Throws as `txn` does, `forbidden` where the token may not
 * write there, and `unavailable` where the answer was lost, for nothing is to be feared from it.
 */
export async function askEnds(
  { client, signal }: Pick<ActContext, 'client' | 'signal'>,
  prefix: string,
  ids: readonly string[],
): Promise<Ends> {
  const ended = new Set<string>();
  const there = new Set<string>();
  for (let at = 0; at < ids.length; at += asksMax) {
    const asked = ids.slice(at, at + asksMax);
    const ops = asked.flatMap((session): TxnOp[] => {
      const key = `${prefix}/.ended/${session}`;
      return [
        { verb: 'lock', key, value: Buffer.alloc(0), flags: '0', session },
        { verb: 'check-not-exists', key },
      ];
    });
    const outcome = await client.txn(ops, { signal }).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'unknown-result')
        throw new ProblemError({ code: 'unavailable' }, { cause: error });
      throw error;
    });
    const errors = outcome.done ? [] : outcome.errors;
    if (errors.some(({ what }) => /permission denied/i.test(what)))
      throw new ProblemError({ code: 'forbidden', why: { code: 'token-refused', facts: {} } });
    const said = new Map(errors.map(({ op, what }) => [op, what]));
    for (const [i, id] of asked.entries()) {
      const locked = said.get(2 * i);
      // Consul's own words, in `kvsLockTxn` and `kvCheckNotExists` (agent/consul/state).
      if (locked !== undefined && /invalid session/i.test(locked)) ended.add(id);
      else if (locked === undefined && /exists/i.test(said.get(2 * i + 1) ?? '')) there.add(id);
    }
  }
  return { ended, there };
}
