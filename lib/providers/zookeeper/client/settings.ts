/** Where ZooKeeper is, and how it is reached. */
import type { SourceCredentials } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';

export interface ZkServer {
  readonly host: string;
  readonly port: number;
}

export interface ZkSettings {
  readonly id: SourceId;
  /** For people. */
  readonly title: string;
  readonly servers: readonly ZkServer[];
  /** Every path is below it: '' or `/a/b`. */
  readonly chroot: string;
  /** What is watched, each with all below it: `/` or `/a/b`. None is below another. */
  readonly roots: readonly string[];
  /** `null`: plain TCP. */
  readonly tls: SourceCredentials['tls'] | null;
  /** For the scheme `digest`: `user:password`. `null`: nobody in particular. */
  readonly digest: Buffer | null;
  /** Administrative pages, one for each server. */
  readonly admin: readonly URL[];
  /** Prefix of a semaphore to the path of its shared count. */
  readonly counts: ReadonlyMap<string, string>;
  /** Asked for; the servers bound it (2 to 20 ticks). Absent: `sessionMsDefault`. */
  readonly sessionMs?: number;
  /** Of one answer; absent: `answerBytesMaxDefault`. */
  readonly answerBytesMax?: number;
}

/** Our session owns nothing, so its end costs nothing; a silent server is left after two thirds of this. */
export const sessionMsDefault = 15_000;

/** The names of a million children. A server sends what clients have stored, whatever its own `jute.maxbuffer`. */
export const answerBytesMaxDefault = 64 * 1024 * 1024;

const hostOf = (host: string) => (host.includes(':') ? `[${host}]` : host);

export const serverText = ({ host, port }: ZkServer): string => `${hostOf(host)}:${port}`;

/** For screens and logs. Holds no secret. */
export const originOf = ({ servers, chroot }: Pick<ZkSettings, 'servers' | 'chroot'>): string =>
  `${servers.map(serverText).join(',')}${chroot}`;
