/** Faults of the audit's store. None may reach Consul, and no action may proceed without its record. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { Fault } from '@/quality/chaos/fault';
import { agent, type Ground } from '@/quality/chaos/ground';
import { chainOf } from './chain';

const folderOf = new Map<object, string>();

/** A file system of 8 MB below the store. Needs root, as `mount` does. */
export const smallDisk: Ground = {
  name: 'one agent, and a disk of 8 MB for the store',
  raise: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
    folderOf.set(smallDisk, folder);
    const end = () => {
      // A lazy unmount, because the server may keep the file open to the last.
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    };
    try {
      const grounds = await agent.raise();
      return {
        ...grounds,
        env: { SIGNALBOX_DATA: join(folder, 'data') },
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

const held = new Map<object, Database.Database>();
const locked: Fault = {
  name: 'store-locked',
  title: 'Another process holds the write lock of the store',
  ground: agent,
  hits: 'console',
  lastsMs: [6_000, 9_000],
  inject: async (stage) => {
    const other = new Database(join(stage.server.data, 'signalbox.db'));
    other.pragma('busy_timeout = 5000');
    other.exec('begin immediate');
    held.set(stage, other);
  },
  mend: async (stage) => {
    held.get(stage)?.close();
    held.delete(stage);
  },
};

const removed: Fault = {
  name: 'store-removed',
  title: 'The folder of the store is moved away under the running server',
  ground: agent,
  hits: 'console',
  lastsMs: [3_000, 5_000],
  inject: async (stage) => {
    renameSync(stage.server.data, `${stage.server.data}-${Date.now()}`);
  },
  mend: async (stage) => {
    const found = await chainOf(stage);
    if (found.brokenAt !== null) throw new Error(`The audit is broken at row ${found.brokenAt}.`);
  },
};

const full: Fault = {
  name: 'disk-full',
  title: 'The disk of the store is full',
  ground: smallDisk,
  hits: 'console',
  lastsMs: [6_000, 9_000],
  inject: async () => {
    const filler = join(folderOf.get(smallDisk) ?? '', 'filler');
    for (let size = 8 * 1024 * 1024; size >= 512; size /= 2)
      try {
        writeFileSync(filler, Buffer.alloc(size, 1), { flag: 'a' });
      } catch {
        // No room for that much, so try half.
      }
  },
  mend: async () => rmSync(join(folderOf.get(smallDisk) ?? '', 'filler'), { force: true }),
};

const root = process.getuid?.() === 0;
export const storeFaults: readonly Fault[] = [locked, removed, ...(root ? [full] : [])];
