import { describe, expect, test } from 'vitest';
import { noJava, startTestEnsemble, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = await noJava('curator');

describe.skipIf(absent !== null)('ZooKeeper', () => {
  test('a server answers, with its AdminServer where asked, and again after kill -9 and a start', async () => {
    const zookeeper = await startTestZooKeeper({ admin: true });
    expect(await zookeeper.mode()).toBe('standalone');
    expect(await zookeeper.ask('ruok')).toBe('imok');
    const stat = await fetch(`${zookeeper.admin}/commands/connections`);
    expect(await stat.json()).toMatchObject({ command: 'connections', error: null, connections: [] });
    await zookeeper.kill();
    await expect(zookeeper.ask('ruok')).rejects.toThrow();
    await zookeeper.start();
    expect(await zookeeper.ask('ruok')).toBe('imok');
    await zookeeper.stop();
    await expect(zookeeper.ask('ruok')).rejects.toThrow();
  });

  test('an ensemble elects another leader when the first is killed, and takes it back', async () => {
    const ensemble = await startTestEnsemble();
    const modes = await Promise.all(ensemble.servers.map((server) => server.mode()));
    expect(modes.sort()).toEqual(['follower', 'follower', 'leader']);
    const deposed = await ensemble.depose();
    expect(await deposed.mode()).toBeNull();
    await deposed.start();
    await expect.poll(() => deposed.mode(), { timeout: 30_000 }).toBe('follower');
  });
});
