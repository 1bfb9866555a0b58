/** A full disk under Consul, whose Raft log grows with each write. Needs root, as `mount` does. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault } from '@/quality/chaos/fault';
import { type Ground, raiseAgent } from '@/quality/chaos/ground';
import { ask } from '@/scripts/agent.mjs';
import { until } from '@/test/support/until';

/**
 * Room for every round. Raft's log grows by files of 64 MB, each round takes up to one, and Consul frees none for
 * thousands of writes. On a smaller disk nothing recovers after the second round.
 */
const sizeMb = 1024;
/** At 400 kB each, more than the disk holds. */
const writesMax = 400;
const folderOf = new Map<Ground, string>();
const filler = () => join(folderOf.get(smallDisk) ?? '', 'filler');

const smallDisk: Ground = {
  name: `one agent on a disk of ${sizeMb} MB`,
  raise: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-consul-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder]);
    folderOf.set(smallDisk, folder);
    const end = () => {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    };
    try {
      const dataDir = join(folder, 'consul');
      mkdirSync(dataDir);
      const grounds = await raiseAgent({ dataDir });
      return {
        ...grounds,
        stop: async () => {
          await grounds.stop();
          end();
        },
      };
    } catch (error) {
      end();
      throw error;
    }
  },
};

/** Fills the disk to the last kilobyte, and again what Consul frees meanwhile. */
function fill(): void {
  for (let size = 8 * 1024 * 1024; size >= 1024; size /= 2)
    for (;;)
      try {
        writeFileSync(filler(), Buffer.alloc(size, 1), { flag: 'a' });
      } catch {
        // No room for that much, so try half.
        break;
      }
}

const full: Fault = {
  name: 'consul-disk-full',
  title:
    'The disk under Consul is full: what is written is not kept, and the server gives up or does not lead any more',
  ground: smallDisk,
  hits: 'clients',
  lastsMs: [6_000, 9_000],
  inject: async (stage) => {
    // The log has preallocated room, so the disk counts as full once a write fails.
    const lump = 'x'.repeat(400 * 1024);
    for (let writes = 0; ; writes += 1) {
      fill();
      const kept = await stage.call('kv/filler', { body: lump }).then(
        () => true,
        () => false,
      );
      if (!kept) break;
      if (writes > writesMax) throw new Error('Consul writes on, whatever is left on the disk.');
    }
  },
  mend: async (stage) => {
    rmSync(filler(), { force: true });
    // Consul may or may not survive: 1.8 exits, 1.22 may lose the right to lead.
    if (typeof (await ask(stage.consul().address, '/v1/status/leader')) !== 'string') {
      await stage.consul().kill();
      await stage.consul().restart();
    }
    const takesWrites = () => stage.call('kv/filler', { method: 'DELETE' }).then(() => true);
    const what = 'Consul to take writes again';
    const again = await until(takesWrites, { what, timeoutMs: 20_000 }).catch(() => false);
    if (again) return;
    // The agent still names itself leader, but its log accepts nothing any more.
    await stage.consul().kill();
    await stage.consul().restart();
    await until(takesWrites, { what, timeoutMs: 20_000 });
  },
};

export const diskFaults: readonly Fault[] = process.getuid?.() === 0 ? [full] : [];
