/**
 * Every link of the console. The first source is not named, so that links from before there were several hold. Keys
 * hold `/`, spaces and any other byte, so identity travels in the query string and never in the path. A proxy that
 * folds `//` or `%2F` would change which lock is meant.
 */
import type { Subject } from '@/lib/domain/model';
import { firstSource, type SourceId } from '@/lib/domain/source';

const query = (name: string, value: string, source = firstSource) =>
  `?${name}=${encodeURIComponent(value)}${source === firstSource ? '' : `&source=${source}`}`;

function queryOf(params: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  return search.size === 0 ? '' : `?${search}`;
}

export const paths = {
  board: (search: string | null = null) => (search === null ? '/' : `/${query('q', search)}`),
  boardOfNode: (node: string) => `/${query('node', node)}`,
  /** The board as it was. */
  past: (atMs: number) => `/?at=${new Date(atMs).toISOString()}`,
  boardNeedsHuman: () => '/?show=human',
  lock: (key: string, source?: SourceId) => `/lock${query('key', key, source)}`,
  semaphore: (prefix: string, source?: SourceId) => `/semaphore${query('prefix', prefix, source)}`,
  sessions: (search: string | null = null) =>
    search === null ? '/sessions' : `/sessions${query('q', search)}`,
  session: (id: string, source?: SourceId) => `/session${query('id', id, source)}`,
  findings: () => '/findings',
  graph: () => '/graph',
  history: (prefix = '', source = firstSource) =>
    `/history${queryOf({ prefix, source: source === firstSource ? '' : source })}`,
  shares: () => '/shares',
  /** '' is no filter. */
  audit: (params: Readonly<Record<string, string>> = {}) => `/audit${queryOf(params)}`,
  /** `next`: the page after it. */
  login: (next: string | null = null) => (next === null ? '/login' : `/login${query('next', next)}`),
  api: {
    audit: (params: Readonly<Record<string, string>>) => `/api/v1/audit${queryOf(params)}`,
    history: (params: Readonly<Record<string, string>>) => `/api/v1/history${queryOf(params)}`,
    historyColumns: () => '/api/v1/history/columns',
    historyAt: (params: Readonly<Record<string, string>>) => `/api/v1/history/at${queryOf(params)}`,
    figures: (params: Readonly<Record<string, string>>) => `/api/v1/history/figures${queryOf(params)}`,
    auditChain: () => '/api/v1/audit/chain',
    actions: () => '/api/v1/actions',
    grants: () => '/api/v1/grants',
    probe: () => '/api/v1/probe',
    /** Unless its name is still `since`. */
    opening: (address: string, since: string | null) =>
      `/api/v1/opening${queryOf({ address, ...(since === null ? {} : { since }) })}`,
    rights: () => '/api/v1/rights',
    session: () => '/api/v1/session',
    /** `as`: the `identityKey` of the stream's person; `since`: the last event seen. */
    events: (as: string | null, since: string | null) => {
      const params = [
        ...(as === null ? [] : [`as=${encodeURIComponent(as)}`]),
        ...(since === null ? [] : [`since=${encodeURIComponent(since)}`]),
      ];
      return `/api/v1/events${params.length === 0 ? '' : `?${params.join('&')}`}`;
    },
  },
} as const;

/**
 * A page of this console, or the board. A crafted link must not send people elsewhere. So anything that a browser might
 * read as another host is refused: `//host`, a backslash, characters that it strips first.
 */
export function pathAfterSignIn(next: string | null): string {
  const board = paths.board();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop tabs and line breaks from an address.
  if (next === null || !next.startsWith('/') || /[\\\u0000-\u0020\u007f]/.test(next)) return board;
  const here = 'http://signalbox.invalid';
  if (!URL.canParse(next, here)) return board;
  const { origin, pathname, search, hash } = new URL(next, here);
  // `/.//host` becomes `//host` only now.
  if (origin !== here || pathname.startsWith('//')) return board;
  if (pathname === '/login' || pathname.startsWith('/api/')) return board;
  return `${pathname}${search}${hash}`;
}

export function subjectPath(subject: Subject): string {
  switch (subject.kind) {
    case 'lock':
      return paths.lock(subject.key, subject.source);
    case 'semaphore':
      return paths.semaphore(subject.prefix, subject.source);
    case 'session':
      return paths.session(subject.id, subject.source);
  }
}

/** The inverse of `subjectPath`; `null` for other pages. The first of a repeated parameter counts. */
export function subjectAt(pathname: string, query: URLSearchParams): Subject | null {
  const source = sourceAt({ source: query.get('source') ?? undefined });
  switch (pathname) {
    case '/lock':
      return { source, kind: 'lock', key: query.get('key') ?? '' };
    case '/semaphore':
      return { source, kind: 'semaphore', prefix: query.get('prefix') ?? '' };
    case '/session':
      return { source, kind: 'session', id: query.get('id') ?? '' };
    default:
      return null;
  }
}

/** The source that an address names: the first unless it names another. */
export function sourceAt({ source }: { readonly source?: string | readonly string[] | undefined }): SourceId {
  return [source].flat()[0] ?? firstSource;
}

/** Another query on a list is the same page; another subject is another page. */
export function pageOf(pathname: string, query: URLSearchParams): string {
  const subject = subjectAt(pathname, query);
  if (query.has('frozen')) return `${pathname} frozen`;
  if (pathname === '/' && query.has('at')) return `${pathname} past`;
  return subject === null ? pathname : subjectPath(subject);
}
