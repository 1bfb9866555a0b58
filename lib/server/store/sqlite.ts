/**
 * The embedded store: one file, through libsql. Its calls are synchronous and hold up the whole server, so each must be
 * short: statements wait for another process's lock for `busyMs` only, and whoever needs longer tries again
 * (`exclusively`).
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteDialect } from 'kysely';
import Database from 'libsql';

const busyMs = 100;

/** Opens the file, and makes it and its folder where they are missing, for this user alone. */
function open(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'signalbox.db');
  // SQLite gives its side files the permissions of this one.
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path);
  try {
    database.pragma(`busy_timeout = ${busyMs}`);
    // Readers do not wait for the writer; and a row that was acknowledged is on disk, whatever ends.
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Nothing is opened before the first query; one that fails to open is tried anew by the next. */
export function sqliteDialect(folder: string): SqliteDialect {
  return new SqliteDialect({ database: async () => open(folder) });
}

/** Another process writes right now. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
