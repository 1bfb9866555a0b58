/** The certificates of the tests, as TLS itself takes them. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { newAuthority } from './certificate';

const authority = newAuthority();

/** The error of a client that trusts this authority alone; `null`: none. */
async function refusalOf(untilMs: number): Promise<string | null> {
  const { certPem, keyPem } = authority.issue(untilMs);
  const server = createServer({ cert: certPem, key: keyPem }, (socket) => socket.on('error', () => {}).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const socket = connect({ port, host: '127.0.0.1', ca: authority.pem });
  try {
    await once(socket, 'secureConnect');
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? `${error}`;
  } finally {
    socket.destroy();
  }
}

test('a certificate is accepted until its second, and refused after it', async () => {
  expect(await refusalOf(Date.now() + 60_000)).toBeNull();
  expect(await refusalOf(Date.now() - 1_000)).toBe('CERT_HAS_EXPIRED');
});

test('it is for 127.0.0.1, and signed by its authority', () => {
  const [own, issued] = [authority.pem, authority.issue(Date.now() + 1_000).certPem].map(
    (pem) => new X509Certificate(pem),
  );
  expect(issued?.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(own !== undefined && issued?.verify(own.publicKey)).toBe(true);
});
