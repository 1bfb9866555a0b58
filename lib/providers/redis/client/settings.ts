/** One Redis as its operator named it. */
import type { SourceCredentials } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';

export interface Endpoint {
  /** The host, without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
}

/** A configured RSemaphore. Redis stores only its free permits, so it looks like any other number. */
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
  /** The single server, some servers of the cluster, or the sentinels; at least one. */
  readonly endpoints: readonly [Endpoint, ...Endpoint[]];
  /** Always 0 in a cluster. */
  readonly database: number;
  /** `null`: no TLS. */
  readonly tls: SourceCredentials['tls'] | null;
  readonly user: string | null;
  readonly password: string | null;
  /** Only names with these prefixes are read. `['']`: all names. No prefix begins with another. */
  readonly prefixes: readonly string[];
  /** Prefixes of redlock's strings, which look like any other string and are never guessed. */
  readonly redlock: readonly string[];
  readonly semaphores: readonly NamedSemaphore[];
}

/** The addresses alone, for screens and logs. */
export function originOf({ endpoints, tls, database }: RedisSettings): string {
  const hosts = endpoints.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`);
  return `${tls === null ? 'redis' : 'rediss'}://${hosts.join(',')}${database === 0 ? '' : `/${database}`}`;
}

/** Drops prefixes that begin with another. Redis refuses to track both, and the longer one adds nothing. */
export function apart(prefixes: readonly string[]): readonly string[] {
  const all = [...new Set(prefixes)];
  return all.filter((one) => !all.some((other) => other !== one && one.startsWith(other)));
}

/** True for a name that is watched by its prefix, or that the operator has named. */
export const inPrefixes = (
  { prefixes, redlock, semaphores }: Pick<RedisSettings, 'prefixes' | 'redlock' | 'semaphores'>,
  name: string,
): boolean =>
  [...prefixes, ...redlock].some((prefix) => name.startsWith(prefix)) ||
  semaphores.some((one) => one.name === name);
