/**
 * The embedded store: one file, through libsql. Its calls are synchronous and hold up the whole server, so each must be
 * short: a statement waits for another process's lock for `busyMs` only, and a transaction, which is tried again and
 * again (`exclusively`), does not wait at all. With a wait in each try, a lock that is held for long would take most of
 * the server's time.
 */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely';
import Database from 'libsql';

const busyMs = 20;

const fileIn = (folder: string) => join(folder, 'signalbox.db');

/** Opens the file, and makes it and its folder where they are missing, for this user alone. */
function open(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = fileIn(folder);
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

/** Which file a path names; `null`: none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}-${found.ino}`;
}

/** What Kysely sees of the file, and what tells that it is another one by now. */
interface Patient extends SqliteDatabase {
  /** Its path names another file or none: what is written then is gone when the process ends. */
  readonly moved: boolean;
  /** Closes the file; the next query opens it anew. */
  release(): void;
}

/**
 * libsql resets a statement that failed only when it is collected as garbage, and until then it
 * keeps the state of the file that it saw: after one `begin` that met another process's lock, every later one would
 * fail. So what begins and ends a transaction is executed without a statement that stays; and where one stays all the same
 * (it failed for a full disk, say), the file is opened anew.
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

/** A statement that ended long ago is in the way of this one. */
function isLeftOpen(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'SQLITE_BUSY_SNAPSHOT' || error.message.includes('statements in progress');
}

export interface SqliteFile {
  readonly dialect: SqliteDialect;
  /**
   * True when somebody removed or replaced the file under the running server. Then it is closed, and the next query opens
   * what is there, or a new one.
   */
  leaveMoved(): boolean;
}

/** Nothing is opened before the first query; one that fails to open is tried anew by the next. */
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

/** Another process writes right now. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
