import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundle } from '@/scripts/bundle.mjs';
import { startConsul } from '@/test/support/consul';

test('a bundled program runs on plain Node and speaks to Consul', async () => {
  const consul = await startConsul();
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-bundle-'));
  try {
    const source = join(dir, 'program.ts');
    writeFileSync(
      source,
      `import { createConsulClient } from '@/lib/providers/consul/client/client';
       import { newCoordination, readCoordination } from '@/lib/providers/consul/rows/coordination';
       import { consulSettings } from '@/lib/providers/consul/client/settings';
       const client = createConsulClient(consulSettings(process.env));
       await client.cas({ key: 'from/bundle', value: Buffer.from('yes'), flags: '7', index: '0' });
       console.log((await client.get('from/bundle')).value?.flags);
       console.log(readCoordination(newCoordination('map', 3, [])).coordination?.limit);
       client.close();`,
    );
    await bundle({ entries: { program: source }, outDir: join(dir, 'out') });
    const { stdout } = await promisify(execFile)(process.execPath, [join(dir, 'out', 'program.mjs')], {
      // Away from the project, so that nothing is found in its node_modules.
      cwd: dir,
      env: { ...process.env, ...consul.env },
    });
    expect(stdout.trim()).toBe('7\n3');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
