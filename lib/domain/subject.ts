/** The subjects of rows, and the names of rows in lists of several sources (`rowName`). */
import { type Lock, type Renewal, type Semaphore, type Session, type Subject, subjectName } from './model';
import { firstSource, rowName } from './source';

export type LockRef = Pick<Lock, 'source' | 'key'>;
export type SemaphoreRef = Pick<Semaphore, 'source' | 'prefix'>;
export type SessionRef = Pick<Session, 'source' | 'id'>;

export const lockSubject = ({ source, key }: LockRef) => ({ source, kind: 'lock', key }) as const;
export const semaphoreSubject = ({ source, prefix }: SemaphoreRef) =>
  ({ source, kind: 'semaphore', prefix }) as const;
export const sessionSubject = ({ source, id }: SessionRef) => ({ source, kind: 'session', id }) as const;

/** The subject of a row. */
export function subjectOf(row: Lock | Semaphore | Session): Subject {
  if (!('kind' in row)) return sessionSubject(row);
  return row.kind === 'lock' ? lockSubject(row) : semaphoreSubject(row);
}

/** The subject that a `subjectId` names; `null` for anything else. */
export function subjectOfId(text: string): Subject | null {
  const [, source = firstSource, kind = '', name = ''] =
    /^(?:([a-z0-9-]+)!)?([a-z]+):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'lock':
      return lockSubject({ source, key: name });
    case 'semaphore':
      return semaphoreSubject({ source, prefix: name });
    case 'session':
      return sessionSubject({ source, id: name });
    default:
      return null;
  }
}

/** Finds the row of a subject in the list of its kind. */
export function isOf(subject: Subject): (row: Lock | Semaphore | Session) => boolean {
  const name = subjectName(subject);
  return (row) => row.source === subject.source && rowNameIn(row) === name;
}

const rowNameIn = (row: Lock | Semaphore | Session): string =>
  'key' in row ? row.key : 'prefix' in row ? row.prefix : row.id;

export const lockName = ({ source, key }: LockRef): string => rowName(source, key);
export const semaphoreName = ({ source, prefix }: SemaphoreRef): string => rowName(source, prefix);
export const sessionName = ({ source, id }: SessionRef): string => rowName(source, id);
export const renewalName = ({ source = firstSource, id }: Pick<Renewal, 'source' | 'id'>): string =>
  rowName(source, id);
