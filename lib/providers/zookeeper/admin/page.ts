/** Reads the servers' administrative pages (AdminServer), and only those that change nothing. */
import http from 'node:http';
import https from 'node:https';
import { z } from 'zod';
import { createAborts } from '@/lib/providers/zookeeper/client/aborts';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';

const bytesMax = 16 * 1024 * 1024;
const answerMs = 5_000;
const onAbort = createAborts();

/** The text of a page; `null`: no usable answer. */
export function readPage(
  at: URL,
  { tls }: Pick<ZkSettings, 'tls'>,
  signal: AbortSignal,
): Promise<string | null> {
  const isSecure = at.protocol === 'https:';
  const secure =
    tls === null || !isSecure
      ? {}
      : {
          ...(tls.ca === null ? {} : { ca: Buffer.from(tls.ca) }),
          ...(tls.cert === null ? {} : { cert: Buffer.from(tls.cert) }),
          ...(tls.key === null ? {} : { key: Buffer.from(tls.key) }),
        };
  const read = new Promise<string | null>((resolve) => {
    const done = (text: string | null) => {
      clearTimeout(timeout);
      stopListening();
      request.destroy();
      resolve(text);
    };
    const giveUp = () => done(null);
    const request = (isSecure ? https : http).get(at, { agent: false, ...secure }, (response) => {
      if (response.statusCode !== 200) return giveUp();
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
        pieces.push(piece);
        if (bytes > bytesMax) giveUp();
      });
      response.on('end', () => done(Buffer.concat(pieces).toString('utf8')));
      response.on('error', giveUp);
    });
    const timeout = setTimeout(giveUp, answerMs);
    request.on('error', giveUp);
    const stopListening = onAbort(signal, giveUp);
    if (signal.aborted) giveUp();
  });
  // A key that does not fit its certificate fails before there is a request.
  return read.catch(() => null);
}

/** Strings, which stay unchanged, and whole numbers too long for a JavaScript number. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d{16,}/g;

/** Parses JSON with long whole numbers as text. `null`: not JSON. */
export function readLongJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(tokens, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  } catch {
    return null;
  }
}

const hex = (id: string | number): string => BigInt.asUintN(64, BigInt(id)).toString(16);
const long = z.union([z.number().int(), z.string().regex(/^-?\d+$/)]).transform(hex);

const connection = z.object({
  remote_socket_address: z.string().catch(''),
  session_id: long,
  session_timeout: z.number().int().nullable().catch(null),
  /** By the server's own clock, which starts anywhere. */
  last_response_time: z.number().nullable().catch(null),
});
export type AdminConnection = z.infer<typeof connection>;

const connectionsPage = z.object({
  connections: z.array(connection).default([]),
  secure_connections: z.array(connection).default([]),
  error: z.string().nullish(),
});
const watchesPage = z.object({
  path_to_session_ids: z.record(z.string(), z.array(long)).default({}),
  error: z.string().nullish(),
});

/** A server without a quorum has closed all its connections. */
const isIdle = (error: string) => error.includes('not currently serving requests');

/** The connections on one server's page; `null`: another page. */
export function readConnections(text: string): readonly AdminConnection[] | null {
  const { data } = connectionsPage.safeParse(readLongJson(text));
  if (data === undefined || (data.error != null && !isIdle(data.error))) return null;
  return [...data.connections, ...data.secure_connections];
}

/** The sessions that watch each node's data at one server; `null`: another page. */
export function readWatches(text: string): Readonly<Record<string, readonly string[]>> | null {
  const { data } = watchesPage.safeParse(readLongJson(text));
  return data === undefined || (data.error != null && !isIdle(data.error)) ? null : data.path_to_session_ids;
}
