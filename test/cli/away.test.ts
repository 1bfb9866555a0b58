/** What the command says and does while no console answers, or something else answers in its place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { liveSource } from '@/lib/domain/fixture/world';
import { claimPorts } from '@/scripts/ports.mjs';
import { newAuthority } from '@/test/support/certificate';
import { run, start } from '@/test/support/command';
import { until } from '@/test/support/until';

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

type Answer = 'events' | 'events that end' | 'a broken connection' | readonly [status: number, body: string];

/**
 * A stand-in for a console behind a proxy, with an answer for each connection to the stream. The last one is for all that
 * follow.
 */
async function behindProxy(answers: Answer[]) {
  const source = liveSource({ datacenter: 'dc1', origin: 'x', lastContactMs: 1, endsSeenSinceMs: 1 });
  const snapshot = { version: 1, source, locks: [], semaphores: [], sessions: [], findings: [] };
  let connections = 0;
  const port = await listening(
    createServer((request, response) => {
      connections += 1;
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'events';
      if (answer === 'a broken connection') return request.socket.destroy();
      if (typeof answer !== 'string') return response.writeHead(answer[0]).end(answer[1]);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: snapshot\nid: 1\ndata: ${JSON.stringify(snapshot)}\n\n`);
      if (answer === 'events that end') response.end();
    }),
  );
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}

test('a watch that was connected outlasts what a proxy answers meanwhile, and says why it retries whenever that changes', async () => {
  const { url } = await behindProxy([
    'events that end',
    [404, '404 page not found'],
    [404, '404 page not found'],
    'events that end',
    [429, '<html>'],
    'a broken connection',
    'events',
  ]);
  const watching = start(['watch'], { SIGNALBOX_ADDR: url });
  await until(() => watching.err().split('Connected again.').length > 2, {
    what: 'the console back for the second time',
    timeoutMs: 60_000,
  });
  const away = `The console at ${url} is away; retrying.`;
  expect(watching.err().split('\n')).toEqual([
    `${away} It closed the connection.`,
    `${away} The console answered with status 404, and an unreadable body.`,
    'Connected again.',
    `${away} It closed the connection.`,
    `${away} The console answered with status 429, and an unreadable body.`,
    `${away} The connection failed (UND_ERR_SOCKET).`,
    'Connected again.',
    '',
  ]);
  watching.signal('SIGINT');
  expect(await watching.exited).toBe(0);
});

test('a watch ends where it never reached a console, or where the console itself refuses it', async () => {
  const elsewhere = await behindProxy([[404, '404 page not found']]);
  const ran = await run(['watch'], { SIGNALBOX_ADDR: elsewhere.url });
  expect([ran.status, ran.err, elsewhere.connections()]).toEqual([
    1,
    expect.stringContaining('status 404, and an unreadable body'),
    1,
  ]);
  const refusing = await behindProxy(['events that end', [401, JSON.stringify({ code: 'signed-out' })]]);
  const refused = await run(['watch'], { SIGNALBOX_ADDR: refusing.url });
  expect([refused.status, refusing.connections()]).toEqual([1, 2]);
  expect(refused.err).toMatch(/Not signed in\.\n$/);
});
