/** What the command says and does while no console answers, or something else answers in its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimPorts } from '@/scripts/ports.mjs';
import { newAuthority } from '@/test/support/certificate';
import { run } from '@/test/support/command';

/** Resolves to the port. */
async function listening(server: Server & { closeAllConnections(): void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const spoken = { text: 'x' };
const plan = { summary: spoken, writes: [], touches: [], warnings: [], undo: spoken };

/** The path of a saved plan. */
function savedPlan(): string {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-plan-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'plan.json');
  writeFileSync(
    path,
    JSON.stringify({ action: { type: 'semaphore.prune', prefixes: ['a'] }, plan, expect: {} }),
  );
  return path;
}

test('where no connection was made nothing was written, and the command says so: nobody listens, or the certificate is not trusted', async () => {
  const block = await claimPorts(1);
  onTestFinished(block.release);
  const { certPem: cert, keyPem: key } = newAuthority().issue(Date.now() + 60_000);
  const asked: string[] = [];
  const tls = await listening(
    createTlsServer({ cert, key }, (request, response) => {
      asked.push(request.url ?? '');
      response.end();
    }),
  );
  const path = savedPlan();
  for (const [address, code] of [
    [`http://127.0.0.1:${block.ports[0]}`, 'ECONNREFUSED'],
    // On a machine that gives this name two addresses, there is an error for each.
    [`http://localhost:${block.ports[0]}`, 'ECONNREFUSED'],
    [`https://127.0.0.1:${tls}`, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ] as const) {
    const ran = await run(['apply', path, '--yes'], { SIGNALBOX_ADDR: address });
    expect([ran.status, ran.err]).toEqual([
      5,
      `The console at ${address} does not answer (${code}). Nothing was written.\n`,
    ]);
  }
  expect(asked).toEqual([]);
});

test('the outcome is unknown where a connection breaks that may have carried the action, also one that was used before', async () => {
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (JSON.parse(body).mode === 'apply') request.socket.destroy();
      else response.end(JSON.stringify({ plan, expect: {} }));
    });
  };
  const env = { SIGNALBOX_ADDR: `http://127.0.0.1:${await listening(createServer(listener))}` };
  for (const args of [
    ['apply', savedPlan()],
    ['prune', 'a'],
  ]) {
    const ran = await run([...args, '--yes'], env);
    expect([ran.status, ran.err]).toEqual([4, expect.stringContaining('The outcome is unknown.')]);
  }
});
