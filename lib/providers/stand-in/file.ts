/**
 * The stand-in's "server": one JSON file, which any program may change. This file alone reads and writes it.
 *
 *   { "locks":      { "jobs/nightly": { "holder": null, "queue": [] } },
 *     "semaphores": { "pools/db": { "limit": 2, "holders": [], "queue": [] } } }
 *
 * A holder is `{ id, name, sinceMs, leaseUntilMs }`, a waiter `{ id, name, sinceMs }`; instants are epoch milliseconds.
 * A holder with an ended lease does not count. A writer first creates `<file>.lock`, which fails while another program
 * has it. Then it reads, writes a new file, renames it over the old one, and removes the lock.
 */
import { createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isProblem, type Problem } from '@/lib/domain/problem';

const instant = z.number().int().nonnegative();
const id = z.string().min(1).max(128);
// Loose: fields of other programs are written back as they were.
const waiter = z.looseObject({ id, name: z.string(), sinceMs: instant });
const holder = z.looseObject({ id, name: z.string(), sinceMs: instant, leaseUntilMs: instant });
const lock = z.looseObject({ holder: z.nullable(holder), queue: z.array(waiter) });
const semaphore = z.looseObject({
  limit: z.number().int().positive(),
  holders: z.array(holder),
  queue: z.array(waiter),
});
const contents = z.looseObject({
  locks: z.record(z.string().min(1), lock),
  semaphores: z.record(z.string().min(1), semaphore),
});

export type FileWaiter = z.infer<typeof waiter>;
export type FileHolder = z.infer<typeof holder>;
export type FileLock = z.infer<typeof lock>;
export type FileSemaphore = z.infer<typeof semaphore>;
export type Contents = z.infer<typeof contents>;

/** The longest wait of a writer for another one's lock. */
const lockWaitMs = 2_000;
const lockLookMs = 20;

const errnoOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Throws a bug, which is any error but a failed system call. */
function unread(error: unknown): Problem {
  const errno = errnoOf(error);
  if (errno === null) throw error;
  return { code: 'unavailable', why: { code: 'file-not-read', facts: { errno } } };
}

function parsed(text: string): Contents | Problem {
  const unclear = (where: string): Problem => ({
    code: 'unavailable',
    why: { code: 'file-not-understood', facts: { where } },
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unclear('');
  }
  const result = contents.safeParse(json);
  return result.success ? result.data : unclear(result.error.issues[0]?.path.join('.') ?? '');
}

/** The whole file, or the problem of reading it. */
export async function readContents(path: string): Promise<Contents | Problem> {
  try {
    return parsed(await readFile(path, 'utf8'));
  } catch (error) {
    return unread(error);
  }
}

/** Changes whenever the file is written or replaced. */
export async function stampOf(path: string): Promise<string | Problem> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    return unread(error);
  }
}

/** Takes the lock. Resolves with the function that removes it; `null`: another program kept it for too long. */
async function locked(path: string, signal: AbortSignal): Promise<(() => Promise<void>) | null> {
  const name = `${path}.lock`;
  for (const untilMs = performance.now() + lockWaitMs; ; await pause(lockLookMs, undefined, { signal })) {
    try {
      await (await open(name, 'wx')).close();
      return () => rm(name);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
      if (performance.now() >= untilMs) return null;
    }
  }
}

/**
 * Reads, edits and writes without another writer in between. `edit` returns the new contents, or the problem that stops
 * the write.
 */
export async function changeContents(
  path: string,
  edit: (now: Contents) => Contents | Problem,
  signal: AbortSignal,
): Promise<Contents | Problem> {
  let unlock: (() => Promise<void>) | null = null;
  try {
    unlock = await locked(path, signal);
    if (unlock === null) return { code: 'busy', why: { code: 'file-busy', facts: {} } };
    const now = await readContents(path);
    const next = isProblem(now) ? now : edit(now);
    if (isProblem(next)) return next;
    await writeFile(`${path}.next`, `${JSON.stringify(next, null, 2)}\n`);
    await rename(`${path}.next`, path);
    return next;
  } catch (error) {
    if (signal.aborted) return { code: 'unavailable', why: { code: 'given-up', facts: {} } };
    return unread(error);
  } finally {
    await unlock?.();
  }
}

/** The digest of one hold. A renewed lease keeps it; the next hold has another one, even by the same holder. */
export function holdOf({ id, sinceMs }: Pick<FileHolder, 'id' | 'sinceMs'>): string {
  return createHash('sha256')
    .update(JSON.stringify([id, sinceMs]))
    .digest('hex')
    .slice(0, 16);
}
