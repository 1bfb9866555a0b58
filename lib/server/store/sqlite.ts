/**
 * The embedded store: one file, through libsql, whose synchronous calls block the server. A statement waits for another
 * process's lock for `busyMs` only; the start of a transaction does not wait, as `exclusively` retries it.
 */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import Database from 'libsql';

const busyMs = 20;

const fileIn = (folder: string) => join(folder, 'signalbox.db');

/** Creates a missing file or folder, for this user only. */
function open(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = fileIn(folder);
  // SQLite gives its side files the permissions of this one.
  closeSync(openSync(path, 'a', 0o600));
  const database = new Database(path);
  try {
    database.pragma(`busy_timeout = ${busyMs}`);
    // Readers do not wait for the writer, and an acknowledged row survives any crash.
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** `null`: none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}-${found.ino}`;
}

interface Patient extends SqliteDatabase {
  /** New rows would be lost when the process ends. */
  readonly moved: boolean;
  /** The next query opens the file again. */
  release(): void;
}

/**
 * libsql resets a failed statement only at its garbage collection. After one `begin` that met another process's lock,
 * every later one would fail, so transactions use no prepared statement. Where a failed statement remains anyway, the
 * file is opened again.
 */
function patient(folder: string): Patient {
  const path = fileIn(folder);
  let database: Database.Database | null = null;
  let opened: string | null = null;
  const current = () => {
    if (database === null) {
      database = open(folder);
      opened = fileAt(path);
    }
    return database;
  };
  const release = () => {
    database?.close();
    database = null;
  };
  const control = (text: string) => {
    const to = current();
    try {
      if (!text.startsWith('begin')) to.exec(text);
      else
        try {
          to.exec('pragma busy_timeout = 0');
          to.exec(text);
        } finally {
          to.exec(`pragma busy_timeout = ${busyMs}`);
        }
      return { changes: 0, lastInsertRowid: 0 };
    } catch (error) {
      if (isLeftOpen(error)) release();
      throw error;
    }
  };
  current();
  return {
    get moved() {
      return database !== null && fileAt(path) !== opened;
    },
    release,
    close: release,
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

function isLeftOpen(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'SQLITE_BUSY_SNAPSHOT' || error.message.includes('statements in progress');
}

export interface SqliteFile {
  readonly dialect: SqliteDialect;
  /** The file was removed or replaced under the running server. The next query opens the present file, or a new one. */
  leaveMoved(): boolean;
}

export function sqliteFile(folder: string): SqliteFile {
  let database: Patient | null = null;
  return {
    dialect: new SqliteDialect({
      database: async () => {
        database = patient(folder);
        return database;
      },
    }),
    leaveMoved: () => {
      if (database === null || !database.moved) return false;
      database.release();
      return true;
    },
  };
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
