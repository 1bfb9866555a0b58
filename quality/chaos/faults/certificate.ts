/** TLS before Consul, and a certificate that expires while in use: open connections continue, new ones are refused. */

import { constants } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Fault } from '@/quality/chaos/fault';
import { type Ground, raiseAgent } from '@/quality/chaos/ground';
import { newAuthority } from '@/test/support/certificate';

const authority = newAuthority();
const hourMs = 3_600_000;
/** No tickets, because a resumed connection skips the check of its certificate. */
const contextOf = (untilMs: number) => {
  const { certPem, keyPem } = authority.issue(untilMs);
  return { cert: certPem, key: keyPem, secureOptions: constants.SSL_OP_NO_TICKET };
};

/** A TLS connection, and whether a request on it still waits for the start of its answer. */
interface Open {
  waits: boolean;
}
const serverOf = new Map<Ground, { readonly server: Server; readonly open: ReadonlyMap<TLSSocket, Open> }>();
const behindTls: Ground = {
  name: 'one agent behind TLS',
  raise: async () => ({
    ...(await raiseAgent()),
    front: async (proxyAddress) => {
      const [host = '', port = ''] = proxyAddress.split(':');
      const folder = mkdtempSync(join(tmpdir(), 'signalbox-ca-'));
      const file = join(folder, 'ca.pem');
      writeFileSync(file, authority.pem);
      const open = new Map<TLSSocket, Open>();
      const server = createServer(contextOf(Date.now() + hourMs), (socket) => {
        const one: Open = { waits: false };
        open.set(socket, one);
        const behind = connect({ host, port: Number(port) });
        socket.on('data', () => {
          one.waits = true;
        });
        behind.on('data', () => {
          one.waits = false;
        });
        // Each half ends with the other.
        behind.on('close', () => socket.destroy()).on('error', () => socket.destroy());
        socket.on('close', () => {
          open.delete(socket);
          behind.destroy();
        });
        socket.on('error', () => behind.destroy());
        socket.pipe(behind).pipe(socket);
      });
      // A client that distrusts the certificate leaves in the middle of the handshake.
      server.on('tlsClientError', (_, socket) => socket.destroy());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      serverOf.set(behindTls, { server, open });
      const { port: own } = server.address() as { port: number };
      return {
        address: `https://127.0.0.1:${own}`,
        env: { CONSUL_CACERT: file },
        stop: async () => {
          for (const socket of open.keys()) socket.destroy();
          await new Promise((resolve) => server.close(resolve));
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  }),
};

/** The remaining life of the certificate once in use. */
const leftMs = 4_000;
const expired: Fault = {
  name: 'certificate-expired',
  title:
    'The certificate before Consul ends while it is in use; a while later every connection is ended (FIN)',
  ground: behindTls,
  hits: 'console',
  lastsMs: [6_000, 9_000],
  inject: async (stage) => {
    const endsMs = Date.now() + leftMs;
    const tls = serverOf.get(behindTls);
    if (tls === undefined) throw new Error('There is no TLS here.');
    tls.server.setSecureContext(contextOf(endsMs));
    stage.proxy.cut();
    // Open connections continue. Each later request needs a new connection, and gets none.
    await delay(endsMs - Date.now());
    const waiting = [...tls.open].filter(([, { waits }]) => waits);
    if (waiting.length === 0) throw new Error('Nothing waited for an answer when the certificate ended.');
    await delay(2_000);
    const left = waiting.filter(([socket, { waits }]) => waits && !tls.open.has(socket));
    // One may end on its own, when its request times out or its watch changes.
    if (left.length === waiting.length)
      throw new Error('Every connection that waited for an answer was given up.');
    stage.proxy.cut();
  },
  mend: async (stage) => {
    const said = stage.viewers[0]?.screen().says;
    serverOf.get(behindTls)?.server.setSecureContext(contextOf(Date.now() + hourMs));
    if (said !== 'not-trusted') throw new Error(`The screen says ${said}.`);
  },
};

export const certificateFaults: readonly Fault[] = [expired];
