/** TLS in front of a server, as a reverse proxy does it, with a certificate of an authority made for the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface HttpsFront {
  /** `https://localhost:<port>`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `consul`: its binary, which makes certificates. `target`: asked for each request, so that it may start later. */
export async function startHttpsFront({
  consul,
  port,
  target,
}: {
  consul: string;
  port: number;
  target: () => string;
}): Promise<HttpsFront> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
  const run = (...args: string[]) => execFileSync(consul, ['tls', ...args], { cwd: dir, stdio: 'ignore' });
  run('ca', 'create');
  run('cert', 'create', '-server', '-additional-dnsname=localhost');
  const file = (name: string) => readFileSync(join(dir, name));
  const certificate = { key: file('dc1-server-consul-0-key.pem'), cert: file('dc1-server-consul-0.pem') };
  const server = createServer(certificate, (asked, answer) => {
    const { hostname, port: to } = new URL(target());
    const passed = request(
      {
        hostname,
        port: to,
        path: asked.url,
        method: asked.method,
        headers: { ...asked.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' },
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
        response.pipe(answer);
      },
    );
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${port}`,
    stop: () =>
      new Promise((resolve) => {
        rmSync(dir, { recursive: true, force: true });
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
