/**
 * A store that several replicas share. One process writes one audit row at a time, so the pool is small. Every query
 * ends within `queryMs`.
 */
import { AsyncResource } from 'node:async_hooks';
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';

const connectMs = 3_000;
/** A dead peer is noticed soon after this silence, however long a query may take. */
const silenceMs = 10_000;

export interface PoolLimits {
  readonly connectionsMax: number;
  readonly queryMs: number;
}

async function openPool(
  url: string,
  { connectionsMax, queryMs }: PoolLimits,
  onError: (error: Error) => void,
  connected: (pool: Pool) => Promise<PoolClient>,
): Promise<PostgresPool> {
  // `pg` is an async module, and every page that imports it would wait for it. The promise that a page awaits keeps the
  // first request in memory.
  const { DatabaseError, Pool } = await import('pg');
  // Poolers such as PgBouncer refuse any other startup parameter.
  const pool = new Pool({
    connectionString: url,
    application_name: 'signalbox',
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: silenceMs,
    allowExitOnIdle: true,
  });
  pool.on('error', onError);
  // The pool handles errors of idle connections only; one that breaks in use would end the process.
  pool.on('connect', (client) => client.on('error', onError));
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await connected(pool);
    // An answer may still be in flight on the connection.
    let broken = false;
    const query = async (text: string, values: readonly unknown[]) => {
      try {
        return await client.query(text, [...values]);
      } catch (error) {
        if (!(error instanceof DatabaseError)) broken = true;
        throw error;
      }
    };
    // Kysely's overload for cursors is not used.
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: () => client.release(broken),
    };
  };
  return { connect, end: () => pool.end() };
}

/** `onError`: an idle connection broke; the next query opens another. */
export function postgresDialect(
  url: string,
  limits: PoolLimits,
  onError: (error: Error) => void,
): PostgresDialect {
  // A connection outlives the request that opened it.
  const connected = AsyncResource.bind((pool: Pool) => pool.connect());
  return new PostgresDialect({ pool: () => openPool(url, limits, onError, connected) });
}
