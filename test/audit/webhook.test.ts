/** The webhook against a receiver that fails in every way that receivers do. Real HTTP, the real store. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore, type Store } from '@/lib/server/store/store';
import { sign } from '@/lib/server/webhook/post';
import { announced, createWebhook, type Webhook } from '@/lib/server/webhook/webhook';
import { createWebhookPlace, turnMs } from '@/lib/server/webhook/webhook-progress';
import { storeKinds } from '@/test/support/stores';
import { until } from '@/test/support/until';

const secret = 'a secret of the receiver and of nobody else';
const kinds = await storeKinds();
const ends: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Taken {
  readonly row: AuditRow;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly path: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const accept: Answer = (response) => void response.writeHead(204).end();

/** A receiver that keeps its input and answers as ordered. */
async function receiver(first: Answer = accept) {
  const all: Taken[] = [];
  let answer = first;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    all.push({ row: JSON.parse(body) as AuditRow, body, headers: request.headers, path: request.url ?? '' });
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/audit?key=of-the-receiver`),
    all,
    reasons: () => all.map(({ row }) => row.reason),
    answers: (next: Answer) => {
      answer = next;
    },
  };
}

function storeIn(folder?: string): Store {
  const dir = folder ?? mkdtempSync(join(tmpdir(), 'signalbox-webhook-'));
  const store = openStore({ folder: dir });
  ends.push(async () => {
    await store.close();
    if (folder === undefined) rmSync(dir, { recursive: true, force: true });
  });
  return store;
}

const entry = (reason: string): AuditEntry => ({
  kind: 'intent',
  thread: randomUUID(),
  who: { kind: 'token', id: 'accessor', name: 'Åsa' },
  address: '192.0.2.7',
  action: 'lock.release',
  subjects: ['lock:a/b'],
  reason,
  detail: {},
});

interface Line {
  readonly level: 'info' | 'warn';
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** A replica with a webhook: its audit, and what it has logged. */
function replica(
  store: Store,
  url: URL,
  {
    name = 'one',
    now = Date.now,
    attemptMs = 5_000,
  }: { name?: string; now?: () => number; attemptMs?: number } = {},
) {
  const book = createAuditLog({ store, replica: name, now });
  const newest = async () => (await book.read({ below: null, limit: 1 }))[0]?.seq ?? 0;
  const lines: Line[] = [];
  const log = {
    info: (fields: object, message: string) =>
      void lines.push({ level: 'info', fields: { ...fields }, message }),
    warn: (fields: object, message: string) =>
      void lines.push({ level: 'warn', fields: { ...fields }, message }),
  };
  const webhook: Webhook = createWebhook({
    url,
    secret,
    audit: book,
    place: createWebhookPlace({ store, replica: name, newest, now }),
    now,
    log: log as never,
    attemptMs,
    retryMs: 5,
    slowestMs: 40,
    lookMs: 20,
  });
  ends.push(() => webhook.close());
  return { audit: announced(book, webhook), book, webhook, lines };
}

/** A webhook that has begun: nothing that was written before it is sent. */
async function begun(store: Store, url: URL, options?: Parameters<typeof replica>[2]) {
  const made = replica(store, url, options);
  await until(
    async () => (await store.db.selectFrom('signalbox_audit_sent').selectAll().execute()).length > 0,
    {
      what: 'the webhook to have taken its place',
    },
  );
  return made;
}

test('every row is sent once and in order, signed over time and body, named by its digest', async () => {
  const to = await receiver();
  const { audit } = await begun(storeIn(), to.url);
  const rows: AuditRow[] = [];
  for (const reason of ['first', 'second', 'third']) rows.push(await audit.append(entry(reason)));
  await until(() => to.all.length === 3, { what: 'three deliveries' });
  expect(to.all.map(({ row }) => row)).toEqual(rows);
  for (const { body, headers, row, path } of to.all) {
    const timestamp = String(headers['signalbox-timestamp']);
    expect(headers['signalbox-signature']).toBe(`v1=${sign(secret, Number(timestamp), body)}`);
    expect(sign(secret, Number(timestamp) + 1, body)).not.toBe(sign(secret, Number(timestamp), body));
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
    expect(headers['signalbox-delivery']).toBe(row.digest);
    expect(path).toBe('/audit?key=of-the-receiver');
  }
});

const failures: readonly { what: string; fail: Answer }[] = [
  { what: 'answers 500', fail: (response) => void response.writeHead(500).end('no') },
  { what: 'answers 404', fail: (response) => void response.writeHead(404).end() },
  { what: 'hangs before it answers', fail: () => {} },
  { what: 'resets the connection', fail: (_response, request) => request.socket.resetAndDestroy() },
  {
    what: 'closes in the middle of its answer',
    fail: (response) => {
      response.socket?.end('HTTP/1.1 2');
    },
  },
];

test.each(failures)(
  'a receiver that $what gets the row again until it takes it, and no row is lost',
  async ({ fail }) => {
    const to = await receiver(fail);
    const { audit, lines } = await begun(storeIn(), to.url, { attemptMs: 100 });
    await audit.append(entry('first'));
    await audit.append(entry('second'));
    await until(() => to.all.length >= 3, { what: 'three attempts' });
    // The row behind it waits: order is part of what is promised.
    expect(new Set(to.reasons())).toEqual(new Set(['first']));
    to.answers(accept);
    await until(() => to.reasons().at(-1) === 'second', { what: 'both rows to arrive' });
    expect(lines.some(({ level, fields }) => level === 'warn' && fields.failures === 1)).toBe(true);
    expect(lines.some(({ level }) => level === 'info')).toBe(true);
    expect(JSON.stringify(lines), 'the address may hold a secret of the receiver').not.toContain(
      'of-the-receiver',
    );
  },
);

test('the number of rows that the receiver has yet to take is reported', async () => {
  const to = await receiver((response) => void response.writeHead(503).end());
  const { audit, webhook } = await begun(storeIn(), to.url);
  expect(await webhook.backlog()).toBe(0);
  for (const reason of ['first', 'second', 'third']) await audit.append(entry(reason));
  expect(await webhook.backlog()).toBe(3);
  to.answers(accept);
  await until(async () => (await webhook.backlog()) === 0, { what: 'all to be taken' });
});

test('an action never waits for the receiver: rows are written while it hangs', async () => {
  const to = await receiver(() => {});
  const { audit, book } = await begun(storeIn(), to.url, { attemptMs: 60_000 });
  await audit.append(entry('hangs'));
  await until(() => to.all.length === 1, { what: 'the attempt that hangs' });
  for (let i = 0; i < 20; i += 1) await audit.append(entry(`row ${i}`));
  expect(await book.read({ below: null, limit: 100 })).toHaveLength(21);
  expect(to.all, 'the first attempt still hangs').toHaveLength(1);
});

test('a redirect is not followed, and counts as a failure', async () => {
  const elsewhere = await receiver();
  const to = await receiver((response) => {
    response.writeHead(307, { location: elsewhere.url.href }).end();
  });
  const { audit } = await begun(storeIn(), to.url);
  await audit.append(entry('first'));
  await until(() => to.all.length >= 2, { what: 'a second attempt' });
  expect(elsewhere.all).toEqual([]);
});

test('an answer without an end does not hold up the next row', async () => {
  const dripping = new Set<NodeJS.Timeout>();
  ends.push(() => {
    for (const timer of dripping) clearInterval(timer);
  });
  const to = await receiver((response) => {
    response.writeHead(200);
    dripping.add(setInterval(() => response.write('x'.repeat(8_192)), 5));
    response.on('close', () => {
      closed += 1;
    });
  });
  let closed = 0;
  const { audit } = await begun(storeIn(), to.url);
  await audit.append(entry('first'));
  await audit.append(entry('second'));
  await until(() => to.all.length === 2, { what: 'both rows' });
  await until(() => closed === 2, { what: 'both answers to be cut off' });
});

test('a restart continues where it was: rows written meanwhile are sent, taken ones are not sent again', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-webhook-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  const to = await receiver();
  const store = storeIn(dir);
  const before = await begun(store, to.url);
  await before.audit.append(entry('taken'));
  await until(() => to.all.length === 1, { what: 'the first row' });
  to.answers((response) => void response.writeHead(503).end());
  await before.audit.append(entry('not taken'));
  await until(() => to.all.length >= 2, { what: 'a refused attempt' });
  await before.webhook.close();
  await before.book.append(entry('written while nobody sent'));
  to.answers(accept);
  replica(storeIn(dir), to.url, { name: 'two' });
  await until(() => to.reasons().at(-1) === 'written while nobody sent', { what: 'the rest' });
  expect(to.reasons().slice(-2)).toEqual(['not taken', 'written while nobody sent']);
  expect(to.reasons().filter((reason) => reason === 'taken')).toHaveLength(1);
});

test.for(kinds)(
  'of two replicas on $name one sends: nothing comes twice, and the other takes over when that one falls silent',
  async (kind, { skip }) => {
    skip(kind.missing !== null, kind.missing ?? '');
    const where = await kind.place();
    const first = kind.open(where);
    // A file has one process, so its replicas share what that one has open.
    const second = kind.name === 'postgres' ? kind.open(where) : first;
    const to = await receiver();
    let later = 0;
    const now = () => Date.now() + later;
    const one = await begun(first, to.url, { name: 'one', now });
    const two = replica(second, to.url, { name: 'two', now });
    for (let i = 0; i < 10; i += 1) await (i % 2 === 0 ? one : two).audit.append(entry(`row ${i}`));
    await until(() => to.all.length >= 10, { what: 'ten rows' });
    expect(to.reasons()).toEqual(Array.from({ length: 10 }, (_, i) => `row ${i}`));

    // The one that sends hangs in an attempt, as a process does whose network is gone, until its turn is over.
    let hung = 0;
    to.answers((response) => {
      hung += 1;
      if (hung > 1) accept(response, response.req);
    });
    await two.audit.append(entry('taken over'));
    await until(() => hung === 1, { what: 'the attempt that hangs' });
    later = turnMs + 1;
    await until(() => hung === 2, { what: 'the other replica to take over' });
    expect(to.reasons().slice(10)).toEqual(['taken over', 'taken over']);
  },
);

test('rows from before the webhook are not sent', async () => {
  const store = storeIn();
  const to = await receiver();
  const book = createAuditLog({ store, replica: 'before', now: Date.now });
  await book.append(entry('history'));
  const { audit } = await begun(store, to.url);
  await audit.append(entry('present'));
  await until(() => to.all.length === 1, { what: 'the present row' });
  expect(to.reasons()).toEqual(['present']);
});

test('a store that is away is not said to be a receiver that takes nothing, and its rows are sent once it is back', async () => {
  const store = storeIn();
  const to = await receiver();
  const { audit, lines } = await begun(store, to.url);
  await sql.raw('alter table signalbox_audit_sent rename to elsewhere').execute(store.db);
  await audit.append(entry('meanwhile'));
  await until(() => lines.some(({ level }) => level === 'warn'), { what: 'a word about it' });
  expect(lines.map(({ message }) => message)).not.toContain('the webhook did not take a row of the audit');
  await sql.raw('alter table elsewhere rename to signalbox_audit_sent').execute(store.db);
  await until(() => to.all.length === 1, { what: 'the row' });
});
