import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { download } from '@/scripts/download.mjs';
import { claimPorts } from '@/scripts/ports.mjs';

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

/** The sentence. */
const failure = (url: string, env: NodeJS.Dict<string>) =>
  download(url, { env }).then(
    () => 'none',
    (error: Error) => error.message,
  );

const proxy = 'http://proxy.example:3128';
const unused = (name: string) =>
  `. This download does not use the proxy in ${name}. Fetch Consul yourself, and set CONSUL_BIN to the binary`;

test('where a proxy is set up, a download that reaches nothing says that the proxy is not used and what to do', async () => {
  const block = await claimPorts(1);
  onTestFinished(block.release);
  const host = `127.0.0.1:${block.ports[0]}`;
  const refused = `${host} cannot be reached (ECONNREFUSED)`;
  expect(await failure(`http://${host}/file`, { HTTP_PROXY: proxy })).toBe(refused + unused('HTTP_PROXY'));
  expect(await failure(`https://${host}/file`, { https_proxy: proxy })).toBe(refused + unused('https_proxy'));
  // None, one of the other protocol, and one that Node was told to use.
  for (const env of [{}, { HTTPS_PROXY: proxy }, { HTTP_PROXY: proxy, NODE_USE_ENV_PROXY: '1' }])
    expect(await failure(`http://${host}/file`, env)).toBe(refused);
});

test('the same where a network drops what goes past its proxy, so that nothing answers in time', async () => {
  const silent = await serving(() => {});
  expect(await failure(silent, { HTTP_PROXY: proxy })).toMatch(
    /did not answer in time\. This download does not use the proxy in HTTP_PROXY\. Fetch /,
  );
});

test('a source that was reached fails without a word of the proxy: it refuses, or it breaks off', async () => {
  const refusing = await serving((_, response) => response.writeHead(404).end());
  expect(await failure(refusing, { HTTP_PROXY: proxy })).toMatch(/answered 404 for http:\S+$/);
  const breaking = await serving((request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('part', () => request.socket.destroy());
  });
  expect(await failure(breaking, { HTTP_PROXY: proxy })).toMatch(/cannot be reached \(\S+\)$/);
});
