/**
 * Every link of the console, in one place. Keys hold `/`, spaces and any other byte, so identity travels in the
 * query string and never in the path: a proxy that folds `//` or `%2F` would otherwise change which lock is meant.
 */
import type { Subject } from '@/lib/domain/model';

const query = (name: string, value: string) => `?${name}=${encodeURIComponent(value)}`;

/** Paths of the console and of the API that its screens call. */
export const paths = {
  board: (search: string | null = null) => (search === null ? '/' : `/${query('q', search)}`),
  boardOfNode: (node: string) => `/${query('node', node)}`,
  boardNeedsHuman: () => '/?show=human',
  lock: (key: string) => `/lock${query('key', key)}`,
  semaphore: (prefix: string) => `/semaphore${query('prefix', prefix)}`,
  sessions: (search: string | null = null) =>
    search === null ? '/sessions' : `/sessions${query('q', search)}`,
  session: (id: string) => `/session${query('id', id)}`,
  findings: () => '/findings',
  graph: () => '/graph',
  api: { actions: () => '/api/v1/actions', probe: () => '/api/v1/probe' },
} as const;

/** The page of a subject. */
export function subjectPath(subject: Subject): string {
  switch (subject.kind) {
    case 'lock':
      return paths.lock(subject.key);
    case 'semaphore':
      return paths.semaphore(subject.prefix);
    case 'session':
      return paths.session(subject.id);
  }
}

/** The key, prefix or id of a subject: what a person calls it. */
export function subjectName(subject: Subject): string {
  switch (subject.kind) {
    case 'lock':
      return subject.key;
    case 'semaphore':
      return subject.prefix;
    case 'session':
      return subject.id;
  }
}
