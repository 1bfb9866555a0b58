/** A line to a server: plain TCP, or TLS whose certificate is checked. */
import { connect as connectPlain, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ZkServer, ZkSettings } from './settings';

export function openSocket(
  { host, port }: ZkServer,
  { tls }: Pick<ZkSettings, 'tls'>,
  onOpen: (socket: Socket) => void,
): Socket {
  if (tls === null) {
    const socket = connectPlain({ host, port, noDelay: true }, () => onOpen(socket));
    return socket;
  }
  const { ca, cert, key, serverName } = tls;
  // A server chooses its certificate by a name, never by an address.
  const servername = serverName ?? (isIP(host) === 0 ? host : null);
  try {
    const socket = connectTls(
      {
        host,
        port,
        ...(servername === null ? {} : { servername }),
        ...(ca === null ? {} : { ca: Buffer.from(ca) }),
        ...(cert === null ? {} : { cert: Buffer.from(cert) }),
        ...(key === null ? {} : { key: Buffer.from(key) }),
      },
      () => onOpen(socket),
    );
    return socket;
  } catch (error) {
    // A key of another certificate, or one with a passphrase, fails at once.
    return new Socket().destroy(error instanceof Error ? error : undefined);
  }
}
