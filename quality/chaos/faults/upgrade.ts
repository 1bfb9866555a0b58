/**
 * Upgrades three servers one by one to the run's Consul, from the one in SIGNALBOX_CONSUL_FROM, or from Debian's if
 * fetched. Not played without either.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '@/quality/chaos/fault';
import { type Ground, raiseCluster } from '@/quality/chaos/ground';
import { cacheFolder, consulVersion, findConsul, sources } from '@/scripts/consul-binary.mjs';
import { until } from '@/test/support/until';

const cached = join(cacheFolder(process.env), sources.debian.file);
const from = process.env.SIGNALBOX_CONSUL_FROM ?? (existsSync(cached) ? cached : null);

const older: Ground = {
  name: 'three servers of an older Consul',
  raise: async () => {
    const path = from ?? '';
    return raiseCluster({ binary: { path, version: await consulVersion(path) } });
  },
};

const upgraded: Fault = {
  name: 'servers-upgraded',
  title: 'Three servers are upgraded to another Consul one by one, on their data, the leader last',
  ground: older,
  hits: 'clients',
  lastsMs: [2_000, 4_000],
  once: true,
  inject: async (stage) => {
    const servers = stage.cluster();
    const now = await findConsul();
    const before = await consulVersion(from ?? '');
    if (before === now.version) throw new Error(`There is nothing to upgrade: both are ${before}.`);
    stage.say(`   from ${before} to ${now.version}`);
    const led = await until(() => servers.leader(), { what: 'a leader' });
    for (const n of [0, 1, 2].sort((a, b) => Number(a === led) - Number(b === led))) {
      await servers.kill(n);
      await servers.restart(n, now);
    }
  },
  mend: async (stage) => {
    await until(() => stage.cluster().leader(), { what: 'a leader', timeoutMs: 60_000 });
  },
};

export const upgradeFaults: readonly Fault[] = from === null ? [] : [upgraded];
