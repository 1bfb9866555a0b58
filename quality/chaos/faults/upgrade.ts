/**
 * Upgrades three servers one by one to the run's Consul, from the one in SIGNALBOX_CONSUL_FROM, or from Debian's if
 * fetched. Not played without either.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '@/quality/chaos/fault';
import { type Ground, raiseCluster } from '@/quality/chaos/ground';
import { callConsul } from '@/quality/chaos/tokens';
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

/** Known once it is played. */
let versions = 'to another Consul';

const upgraded: Fault = {
  name: 'servers-upgraded',
  get title() {
    return `Three servers are upgraded ${versions} one by one, on their data, the leader last`;
  },
  ground: older,
  hits: 'clients',
  lastsMs: [2_000, 4_000],
  once: true,
  inject: async (stage) => {
    const servers = stage.cluster();
    const now = await findConsul();
    const before = await consulVersion(from ?? '');
    if (before === now.version) throw new Error(`There is nothing to upgrade: both are ${before}.`);
    versions = `from Consul ${before} to ${now.version}`;
    stage.say(`   ${versions}`);
    const led = await until(() => servers.leader(), { what: 'a leader' });
    for (const n of [0, 1, 2].sort((a, b) => Number(a === led) - Number(b === led))) {
      await servers.kill(n);
      await servers.restart(n, now);
    }
  },
  mend: async (stage) => {
    await until(() => stage.cluster().leader(), { what: 'a leader', timeoutMs: 60_000 });
    const now = await findConsul();
    for (const address of stage.addresses) {
      const self = await callConsul([address], stage.tokens.management, {
        method: 'GET',
        path: 'agent/self',
      });
      const { Version } = (JSON.parse(self) as { Config: { Version: string } }).Config;
      // An agent tells a development build without its mark.
      if (Version !== now.version.replace(/-.*/, ''))
        throw new Error(`The server at ${address} is still ${Version}.`);
    }
  },
};

export const upgradeFaults: readonly Fault[] = from === null ? [] : [upgraded];
