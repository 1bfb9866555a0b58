/** Writes to a semaphore like those of Go's `api.Semaphore` clients, each one change of one entry. */
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Plain } from './plain';

interface Entry {
  readonly Key: string;
  readonly Value: string | null;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

interface Coordination {
  Limit: number;
  Holders: Record<string, boolean>;
}

/** A contender adds its entry, before it waits for a slot. */
export const join = (plain: Plain, prefix: string, session: string) =>
  plain.json(
    'PUT',
    `/v1/kv/${prefix}/${session}?acquire=${session}&flags=${semaphoreFlags}`,
    '{"owner":"late"}',
  );

/** Rewrites the coordination entry by comparison. `edit`: also receives the sessions with an entry. */
async function rewrite(
  plain: Plain,
  prefix: string,
  edit: (body: Coordination, contenders: readonly string[]) => void,
): Promise<void> {
  const rows = await plain.json<Entry[]>('GET', `/v1/kv/${prefix}/?recurse`);
  const lock = rows.find(({ Key }) => Key === `${prefix}/.lock`);
  if (lock === undefined) throw new Error(`${prefix} has no .lock.`);
  const body = JSON.parse(Buffer.from(lock.Value ?? '', 'base64').toString('utf8')) as Coordination;
  edit(
    body,
    rows.flatMap(({ Session }) => Session ?? []),
  );
  const path = `/v1/kv/${prefix}/.lock?cas=${lock.ModifyIndex}&flags=${semaphoreFlags}`;
  if (!(await plain.json<boolean>('PUT', path, JSON.stringify(body)))) throw new Error('The entry moved.');
}

/** Moves a slot: the first holder stays as a waiter, and the first waiter holds. */
export const pass = (plain: Plain, prefix: string) =>
  rewrite(plain, prefix, (body, contenders) => {
    const [leaves] = Object.keys(body.Holders);
    const comes = contenders.find((session) => !(session in body.Holders));
    if (leaves === undefined || comes === undefined) throw new Error(`Nobody waits for ${prefix}.`);
    delete body.Holders[leaves];
    body.Holders[comes] = true;
  });

/** Changes the limit by `by`. */
export const setLimit = (plain: Plain, prefix: string, by: number) =>
  rewrite(plain, prefix, (body) => {
    body.Limit += by;
  });
