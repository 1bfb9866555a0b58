/** The address of a ZooKeeper, and the way to connect to it. */
import type { SourceCredentials } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';

export interface ZkServer {
  readonly host: string;
  readonly port: number;
}

export interface ZkSettings {
  readonly id: SourceId;
  /** The name on screen. */
  readonly title: string;
  readonly servers: readonly ZkServer[];
  /** The path that all others are below: '' or `/a/b`. */
  readonly chroot: string;
  /** The watched paths, each with all below it: `/` or `/a/b`. None is below another. */
  readonly roots: readonly string[];
  /** `null`: plain TCP. */
  readonly tls: SourceCredentials['tls'] | null;
  /** `user:password` for the scheme `digest`. `null`: anonymous. */
  readonly digest: Buffer | null;
  /** The administrative pages, one for each server. */
  readonly admin: readonly URL[];
  /** The path of the shared count, by the semaphore's prefix. */
  readonly counts: ReadonlyMap<string, string>;
  /** The time-out to ask for, which the servers bound (2 to 20 ticks). Absent: `sessionMsDefault`. */
  readonly sessionMs?: number;
  /** Most bytes of one answer; absent: `answerBytesMaxDefault`. */
  readonly answerBytesMax?: number;
}

/** Our session owns nothing, so its end costs nothing. A silent server is left after two thirds of this. */
export const sessionMsDefault = 15_000;

/**
 * Room for the names of a million children. A server sends stored data of any size, whatever its own `jute.maxbuffer`.
 */
export const answerBytesMaxDefault = 64 * 1024 * 1024;

const hostOf = (host: string) => (host.includes(':') ? `[${host}]` : host);

export const serverText = ({ host, port }: ZkServer): string => `${hostOf(host)}:${port}`;

/** The addresses for screens and logs, without secrets. */
export const originOf = ({ servers, chroot }: Pick<ZkSettings, 'servers' | 'chroot'>): string =>
  `${servers.map(serverText).join(',')}${chroot}`;
