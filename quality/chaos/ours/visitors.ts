/**
 * Visitors throughout: pages, streams that end in order or abruptly, share links that are made, opened and revoked,
 * and, where Consul asks for tokens, sign-ins. Each has an address of its own, so no budget refuses them. What one
 * visit in a thousand leaves behind shows after an hour.
 */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';

export interface Visitors {
  /** Visits that succeeded, by kind. */
  readonly made: Readonly<Record<string, number>>;
  /** Visits that failed, by kind and answer. During a fault some must fail. */
  readonly failed: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

export interface VisitorsOptions {
  readonly baseUrl: string;
  /** Tokens to sign in with; empty when Consul needs none. */
  readonly tokens: readonly string[];
  readonly chance: Chance;
  /** Most visitors at a time. */
  readonly size?: number;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly cookie: string | null;
}

const timeoutMs = 20_000;
const pages = [
  '/',
  '/findings',
  '/graph',
  '/sessions',
  '/audit',
  '/shares',
  '/lock?key=chaos%2Fpulse',
  '/nowhere',
];
const answers = [
  '/metrics',
  '/api/v1/snapshot',
  '/api/v1/audit',
  '/api/v1/findings',
  '/readyz',
  '/api/v1/session',
];

/** One visitor's requests, each from its own address on a new connection. */
function wayOf(baseUrl: string, localAddress: string) {
  const open = (
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
    }: { method?: string; headers?: http.OutgoingHttpHeaders; body?: unknown },
  ) =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      const text = body === undefined ? null : JSON.stringify(body);
      const request = http.request(`${baseUrl}${path}`, {
        method,
        localAddress,
        agent: false,
        timeout: timeoutMs,
        headers: { ...(text === null ? {} : { 'content-type': 'application/json' }), ...headers },
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.on('timeout', () => request.destroy(new Error('no answer')));
      request.end(text);
    });
  const ask = async (path: string, options: Parameters<typeof open>[1] = {}): Promise<Reply> => {
    const response = await open(path, options);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? null;
    return { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString(), cookie };
  };
  return { open, ask };
}

/** Starts the visitors, which continue through every fault. */
export function startVisitors({ baseUrl, tokens, chance, size = 8 }: VisitorsOptions): Visitors {
  const end = new AbortController();
  const made: Record<string, number> = {};
  const failed: Record<string, number> = {};
  const one = <T>(list: readonly T[]) => list[Math.floor(chance() * list.length)] as T;
  const expectStatus = ({ status }: { status: number }, ...wanted: number[]) => {
    if (!wanted.includes(status)) throw new Error(`${status}`);
  };
  type Way = ReturnType<typeof wayOf>;

  /** Follows a stream for a while, then ends it in order, breaks it, or stops reading before it breaks it. */
  const follow = async (way: Way, path: string, headers: http.OutgoingHttpHeaders = {}) => {
    const response = await way.open(path, { headers });
    expectStatus({ status: response.statusCode ?? 0 }, 200);
    const how = chance();
    if (how < 0.7) response.resume();
    response.on('error', () => {});
    await delay(chance() * 2_000, undefined, { signal: end.signal }).catch(() => undefined);
    if (how < 0.4) response.destroy();
    else response.socket.resetAndDestroy();
  };
  const visits: Readonly<Record<string, (way: Way) => Promise<void>>> = {
    page: async (way) => expectStatus(await way.ask(one(pages)), 200, 404),
    answer: async (way) => expectStatus(await way.ask(one(answers)), 200, 503),
    stream: (way) => follow(way, '/api/v1/events'),
    'narrow stream': (way) => follow(way, '/api/v1/events?prefix=chaos%2F'),
    'half a request': async (way) => {
      const request = way.open('/api/v1/actions', {
        method: 'POST',
        headers: { 'content-length': '100' },
        body: '',
      });
      await Promise.race([request.catch(() => undefined), delay(chance() * 300)]);
    },
    'share link': async (way) => {
      const scope = { view: 'board', prefix: 'chaos/', label: 'visitors' };
      const created = await way.ask('/api/v1/grants', { method: 'POST', body: { kind: 'link', scope } });
      expectStatus(created, 201);
      const { grant, secret } = JSON.parse(created.text) as { grant: { id: string }; secret: string };
      expectStatus(await way.ask(`/embed/v1/board?share=${secret}`), 200);
      await follow(way, `/embed/v1/events?share=${secret}`);
      expectStatus(
        await way.ask('/api/v1/grants', { method: 'PATCH', body: { id: grant.id, change: 'revoke' } }),
        200,
      );
      expectStatus(await way.ask(`/embed/v1/snapshot?share=${secret}`), 404);
    },
    'sign-in': async (way) => {
      if (tokens.length === 0) return;
      const { status, cookie } = await way.ask('/api/v1/session', {
        method: 'POST',
        body: { token: one(tokens) },
      });
      expectStatus({ status }, 200);
      const headers = { cookie: cookie ?? '' };
      await follow(way, '/api/v1/events', headers);
      expectStatus(await way.ask('/api/v1/session', { method: 'PUT', headers }), 200);
      if (chance() < 0.5) expectStatus(await way.ask('/api/v1/session', { method: 'DELETE', headers }), 204);
    },
    'wrong token': async (way) => {
      const headers = { 'x-consul-token': crypto.randomUUID() };
      expectStatus(
        await way.ask('/api/v1/snapshot', { headers }),
        ...(tokens.length === 0 ? [200, 401] : [401, 429]),
      );
    },
  };
  const names = Object.keys(visits);
  const come = async () => {
    while (!end.signal.aborted) {
      const name = one(names);
      const way = wayOf(baseUrl, `127.0.${1 + Math.floor(chance() * 8)}.${1 + Math.floor(chance() * 250)}`);
      try {
        await visits[name]?.(way);
        made[name] = (made[name] ?? 0) + 1;
      } catch (error) {
        const what = `${name}: ${error instanceof Error ? error.message : error}`;
        failed[what] = (failed[what] ?? 0) + 1;
        await delay(50);
      }
    }
  };
  const coming = Array.from({ length: size }, come);
  return {
    made,
    failed,
    stop: async () => {
      end.abort();
      await Promise.all(coming);
    },
  };
}
