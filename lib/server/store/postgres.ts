/**
 * A store that several replicas share. The pool is small: one process writes one audit row at a time. Whatever the
 * database does, a query ends within `queryMs`.
 */
import { AsyncResource } from 'node:async_hooks';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';

const connectionsMax = 4;
const connectMs = 3_000;
const queryMs = 10_000;

async function openPool(
  url: string,
  onError: (error: Error) => void,
  connected: (pool: Pool) => Promise<PoolClient>,
): Promise<PostgresPool> {
  // Where it is needed only. It is a module that is waited for, and so would be every page that came to import it: what a page
  // waits for is kept with the request that came first, for as long as the server runs.
  const { DatabaseError, Pool } = await import('pg');
  // Startup parameters other than these are refused by poolers such as PgBouncer.
  const pool = new Pool({
    connectionString: url,
    application_name: 'signalbox',
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  pool.on('error', onError);
  // The pool listens to idle connections only; one that breaks in use would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await connected(pool);
    // After a failure that the database did not tell itself, an answer may still be under way on the connection.
    let broken = false;
    const query = async (text: string, values: readonly unknown[]) => {
      try {
        return await client.query(text, [...values]);
      } catch (error) {
        if (!(error instanceof DatabaseError)) broken = true;
        throw error;
      }
    };
    // Kysely's type has an overload for cursors, which are not used here.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: () => client.release(broken),
    };
  };
  return { connect, end: () => pool.end() };
}

/** `onError`: an idle connection broke; the next query opens another. */
export function postgresDialect(url: string, onError: (error: Error) => void): PostgresDialect {
  // A connection outlives the request for which it was opened, and would keep all that is kept with that one.
  const connected = AsyncResource.bind((pool: Pool) => pool.connect());
  return new PostgresDialect({ pool: () => openPool(url, onError, connected) });
}
