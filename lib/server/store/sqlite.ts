/**
 * The embedded store: one file, through libsql. Its calls are synchronous and hold up the whole server, so each must be
 * short: statements wait for another process's lock for `busyMs` only, and whoever needs longer tries again
 * (`exclusively`).
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import Database from 'libsql';

const busyMs = 20;

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

/**
 * What Kysely sees of the file. libsql resets a statement that failed only when it is collected as garbage, and until then it
 * keeps the state of the file that it saw: after one `begin` that met another process's lock, every later one would
 * fail. So what begins and ends a transaction is executed without a statement that stays; and where one stays all the same
 * (it failed for a full disk, say), the file is opened anew.
 */
function patient(folder: string): SqliteDatabase {
  let database: Database.Database | null = open(folder);
  const current = () => {
    database ??= open(folder);
    return database;
  };
  const control = (text: string) => {
    try {
      current().exec(text);
      return { changes: 0, lastInsertRowid: 0 };
    } catch (error) {
      if (isLeftOpen(error)) {
        database?.close();
        database = null;
      }
      throw error;
    }
  };
  return {
    close: () => void database?.close(),
    prepare: (text) =>
      /^(begin|commit|rollback)\b/.test(text)
        ? {
            reader: false,
            all: () => [],
            run: () => control(text),
            iterate: () => [][Symbol.iterator](),
          }
        : (current().prepare(text) as SqliteStatement),
  };
}

/** A statement that ended long ago is in the way of this one. */
function isLeftOpen(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'SQLITE_BUSY_SNAPSHOT' || error.message.includes('statements in progress');
}

/** Nothing is opened before the first query; one that fails to open is tried anew by the next. */
export function sqliteDialect(folder: string): SqliteDialect {
  return new SqliteDialect({ database: async () => patient(folder) });
}

/** Another process writes right now. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
