/** Which sessions have ended, of those that a list does not name: the ones that nothing could have kept out of it. */
import type { Reply } from '@/lib/consul/client/client';
import { seesEverySession } from '@/lib/consul/client/session-sight';
import type { SessionRow } from '@/lib/consul/client/wire';
import type { ActContext } from './fresh';

const none: ReadonlySet<string> = new Set();

/**
 * Those of `ids` that have ended. `list` was read after whatever names them; `null`: it could not be. What the token may see is
 * asked for only where one is missing.
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
