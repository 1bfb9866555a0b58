/** A real Postgres for a test file, or a loud word where none can be had. */
import { afterAll } from 'vitest';
import { claimPorts } from '@/scripts/ports.mjs';
import { findPostgres, startPostgres } from '@/scripts/postgres.mjs';
import { whyAbsent } from '@/test/support/absence';
import { newDatabase } from '@/test/support/database';

export interface TestPostgres {
  /** A new, empty database; its address. */
  database(): Promise<string>;
  /** `127.0.0.1:<port>`, to put a fault proxy in front of it. */
  readonly address: string;
  stop(): Promise<void>;
}

/** Why there is no Postgres here, `null` where there is one; as `whyAbsent` has it. */
export const noPostgres = (instead = 'SKIPPED: every test on Postgres in this file.') =>
  whyAbsent(findPostgres, instead);

/** Starts a Postgres, which ends with its test file. */
export async function startTestPostgres(settings: Record<string, string> = {}): Promise<TestPostgres> {
  const block = await claimPorts(1);
  const [port = 0] = block.ports;
  const server = await startPostgres({ port, settings });
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= server.stop().then(() => block.release());
    return stopped;
  };
  afterAll(stop);
  return {
    database: () => newDatabase(server),
    address: `127.0.0.1:${port}`,
    stop,
  };
}
