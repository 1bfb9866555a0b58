import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A new, empty database on a Postgres that runs; its address. */
export async function newDatabase(server: { readonly url: (database: string) => string }): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return server.url(name);
}
