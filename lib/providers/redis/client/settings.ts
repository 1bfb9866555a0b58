/** One Redis as its operator named it. */
import type { SourceCredentials } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';

export interface Endpoint {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Of an RSemaphore: Redis stores its free permits alone, as any other number. */
export interface NamedSemaphore {
  readonly name: string;
  /** `null`: not configured. */
  readonly limit: number | null;
}

export interface RedisSettings {
  readonly id: SourceId;
  readonly title: string;
  readonly topology:
    | { readonly kind: 'single' }
    | { readonly kind: 'cluster' }
    | { readonly kind: 'sentinel'; readonly master: string };
  /** The server, a few of a cluster, or the sentinels; at least one. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  /** Always 0 in a cluster. */
  readonly database: number;
  /** `null`: no TLS. */
  readonly tls: SourceCredentials['tls'] | null;
  readonly user: string | null;
  readonly password: string | null;
  /** Names outside are not read. `['']`: everything. None is the beginning of another. */
  readonly prefixes: readonly string[];
  /** Beginnings of the names of redlock's strings. They look like any other string, so none is guessed. */
  readonly redlock: readonly string[];
  readonly semaphores: readonly NamedSemaphore[];
}

/** For people and logs: addresses alone. */
export function originOf({ endpoints, tls, database }: RedisSettings): string {
  const hosts = endpoints.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  return `${tls === null ? 'redis' : 'rediss'}://${hosts.join(',')}${database === 0 ? '' : `/${database}`}`;
}

/** Without those that begin with another: Redis refuses to track one within another, and the longer one adds nothing. */
export function apart(prefixes: readonly string[]): readonly string[] {
  const all = [...new Set(prefixes)];
  return all.filter((one) => !all.some((other) => other !== one && one.startsWith(other)));
}

/** Whether a name is watched: by its beginning, or because the operator has named it. */
export const inPrefixes = (
  { prefixes, redlock, semaphores }: Pick<RedisSettings, 'prefixes' | 'redlock' | 'semaphores'>,
  name: string,
): boolean =>
  [...prefixes, ...redlock].some((prefix) => name.startsWith(prefix)) ||
  semaphores.some((one) => one.name === name);
