/** TLS to Redis, with what the address names; and what is said where it is not trusted. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { claimPorts } from '@/scripts/ports.mjs';
import { watching } from '@/test/provider/watching';
import { newAuthority } from '@/test/support/certificate';
import { noRedis, startTestRedis } from '@/test/support/redis';

const absent = await noRedis();
const folder = mkdtempSync(join(tmpdir(), 'signalbox-redis-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** What the watch says first beside catching up. */
async function firstOf(address: string) {
  const [source] = readSources({ SIGNALBOX_SOURCES: address });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
  const watch = watching(provider);
  try {
    return await watch.says('live', 'down');
  } finally {
    await watch.stop();
    provider.close();
  }
}

describe.skipIf(absent !== null)('TLS to Redis', () => {
  test('both sides prove themselves by the files that the address names; anything less is told apart', async () => {
    const authority = newAuthority();
    const server = authority.issue(Date.now() + 86_400_000);
    const own = authority.issue(Date.now() + 86_400_000);
    const ca = file('ca.pem', authority.pem);
    const stranger = file('stranger.pem', newAuthority().pem);
    const ports = await claimPorts(1);
    const [port = 0] = ports.ports;
    try {
      await startTestRedis({
        settings: {
          'tls-port': String(port),
          'tls-cert-file': file('server.pem', server.certPem),
          'tls-key-file': file('server.key', server.keyPem),
          'tls-ca-cert-file': ca,
        },
      });
      const files = `cert-file=${file('own.pem', own.certPem)}&key-file=${file('own.key', own.keyPem)}`;
      const at = `rediss://127.0.0.1:${port}`;
      expect((await firstOf(`${at}?ca-file=${ca}&${files}`)).state).toBe('live');
      const untrusted = await firstOf(`${at}?ca-file=${stranger}&${files}`);
      expect(untrusted.problem?.why).toMatchObject({
        code: 'not-reached',
        facts: { errno: expect.stringMatching(/CERT|LEAF/) },
      });
      const unnamed = await firstOf(`${at}?ca-file=${ca}`);
      expect(unnamed.state).toBe('down');
      const plain = await firstOf(`redis://127.0.0.1:${port}`);
      expect(plain.state).toBe('down');
    } finally {
      ports.release();
    }
  });
});
