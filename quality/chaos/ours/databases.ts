/** Faults of a Postgres that keeps the store. Its link can break, and the server can be killed and replaced. */

import type { Fault } from '@/quality/chaos/fault';
import { type Ground, raiseAgent } from '@/quality/chaos/ground';
import { claimPorts } from '@/scripts/ports.mjs';
import { type PostgresServer, startPostgres } from '@/scripts/postgres.mjs';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { chainOf } from './chain';

interface Database {
  readonly link: FaultProxy;
  readonly first: PostgresServer;
  /** A server that follows the first; `null`: there is none. */
  readonly standby: PostgresServer | null;
}
const databaseOf = new Map<Ground, Database>();
const linkOf = (ground: Ground) => {
  const link = databaseOf.get(ground)?.link;
  if (link === undefined) throw new Error('There is no database.');
  return link;
};

/** The store in a real Postgres, behind a link that can break. */
const raising =
  (ground: () => Ground, standby: boolean): Ground['raise'] =>
  async () => {
    const block = await claimPorts(2);
    const [port = 0, other = 0] = block.ports;
    const first = await startPostgres({ port });
    const follower = standby ? await first.standby(other) : null;
    const link = await startFaultProxy(`127.0.0.1:${port}`);
    databaseOf.set(ground(), { link, first, standby: follower });
    const grounds = await raiseAgent();
    return {
      ...grounds,
      env: { DATABASE_URL: `postgres://signalbox@${link.address}/postgres` },
      stop: async () => {
        await grounds.stop();
        await link.close();
        await follower?.stop();
        await first.stop();
        block.release();
      },
    };
  };
const database: Ground = {
  name: 'one agent, and the store in a Postgres',
  raise: raising(() => database, false),
};
const pair: Ground = {
  name: 'one agent, and the store in a Postgres with a standby',
  raise: raising(() => pair, true),
};

/** Checks that every row of the audit is there, in its place. */
const whole: Fault['mend'] = async (stage) => {
  const { brokenAt } = await chainOf(stage);
  if (brokenAt !== null) throw new Error(`The audit is broken at row ${brokenAt}.`);
};
const onDatabase = { ground: database, hits: 'console' } as const;

const gone: Fault = {
  ...onDatabase,
  name: 'database-gone',
  title: 'Postgres breaks its connections and takes no new ones',
  lastsMs: [5_000, 9_000],
  inject: async () => linkOf(database).refuse(),
  mend: async () => linkOf(database).accept(),
};

const hangs: Fault = {
  ...onDatabase,
  name: 'database-hangs',
  title: 'Postgres answers nothing, and breaks nothing',
  lastsMs: [8_000, 14_000],
  inject: async () => linkOf(database).stall(),
  mend: async () => linkOf(database).resume(),
};

const killed: Fault = {
  ...onDatabase,
  name: 'database-killed',
  title: 'Postgres is killed (SIGKILL) and started again on its data; the audit is whole',
  lastsMs: [3_000, 6_000],
  inject: async () => databaseOf.get(database)?.first.kill(),
  mend: async (stage, chance) => {
    await databaseOf.get(database)?.first.start();
    await whole(stage, chance);
  },
};

const failedOver: Fault = {
  ground: pair,
  hits: 'console',
  name: 'database-failed-over',
  title: 'The first of two Postgres is killed (SIGKILL), and the standby takes its place; the audit is whole',
  lastsMs: [3_000, 6_000],
  // The one standby can take over only once.
  once: true,
  inject: async () => {
    const { first, standby, link } = databaseOf.get(pair) ?? {};
    await first?.kill();
    await standby?.promote();
    link?.retarget(`127.0.0.1:${standby?.port}`);
  },
  mend: whole,
};

export const databaseFaults: readonly Fault[] = [gone, hangs, killed, failedOver];
