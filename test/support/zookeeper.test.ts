import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { newAuthority } from '@/test/support/certificate';
import { noZooKeeper, startTestEnsemble, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = await noZooKeeper();

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

  test('a server speaks TLS, and shows a certificate of the authority that it was given', async () => {
    const authority = newAuthority();
    const { ports } = await startTestZooKeeper({ tls: authority });
    const said = new Promise<string>((resolve, reject) => {
      const socket = connect({ port: ports.secure, host: '127.0.0.1', ca: authority.pem }, () =>
        socket.write('ruok'),
      );
      socket.on('data', (piece) => {
        resolve(String(piece));
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(await said).toBe('imok');
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
