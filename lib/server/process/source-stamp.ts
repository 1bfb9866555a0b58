/** The last edit of the runtime's sources. Constant outside development. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folders = [
  'lib/domain',
  'lib/domain/rules',
  'lib/providers/consul',
  'lib/providers/consul/actions',
  'lib/server',
];
/** A page asks several times while it renders; the files are checked once. */
const lookEveryMs = 1_000;

let last = { stamp: '', atMs: Number.NEGATIVE_INFINITY };

function newest(root: string): number {
  let newestMs = 0;
  for (const folder of folders) {
    const path = join(/* turbopackIgnore: true */ root, folder);
    let names: string[];
    try {
      names = readdirSync(path);
    } catch {
      continue;
    }
    for (const file of names)
      if (file.endsWith('.ts') && !file.endsWith('.test.ts'))
        newestMs = Math.max(newestMs, statSync(join(/* turbopackIgnore: true */ path, file)).mtimeMs);
  }
  return newestMs;
}

export function sourceStamp(): string {
  if (process.env.NODE_ENV !== 'development') return 'built';
  const nowMs = performance.now();
  if (nowMs - last.atMs > lookEveryMs) last = { stamp: String(newest(process.cwd())), atMs: nowMs };
  return last.stamp;
}
