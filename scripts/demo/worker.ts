/** One process of the demo world: `worker.mjs <role> <seed> <name>...`. Ends on a signal or with its parent. */
import { connect } from '@signalbox/locks';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createDice } from './dice';
import { endOfDemo } from './leave';
import type { Scene } from './scene';
import { bank, patroni, terraform } from './strangers';
import { candidate, gate, report, shards } from './takers';
import { herd, transfer } from './trouble';
import type { Role } from './world';

const roles: Readonly<Record<Role, (scene: Scene, name: string) => Promise<void>>> = {
  gate,
  candidate,
  shards,
  bank,
  report,
  transfer,
  herd,
  terraform,
  patroni,
};

const [role = '', seed = '', ...names] = process.argv.slice(2);
if (!(role in roles) || names.length === 0) {
  console.error(`worker: unknown role "${role}"; one of ${Object.keys(roles).join(', ')}.`);
  process.exit(2);
}
const end = endOfDemo();
const consul = connect();
const client = createConsulClient(consulSettings(process.env));
await Promise.all(
  names.map((name) =>
    roles[role as Role]({ consul, client, dice: createDice(Number(seed), name), end }, name),
  ),
);
await consul.close();
client.close();
process.exit(0);
