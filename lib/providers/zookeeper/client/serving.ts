/**
 * Finds why a server closes every connection without a word: it has no quorum, or too many connections. `srvr` tells
 * them apart where the server permits it.
 */
import type { Problem } from '@/lib/domain/problem';
import { notServing, notTaken } from './failure';
import type { ZkServer, ZkSettings } from './settings';
import { openSocket } from './socket';

const answerMs = 1_000;
const lengthMax = 4_096;

export function whyNotTaken(
  server: ZkServer,
  settings: Pick<ZkSettings, 'tls'>,
  signal: AbortSignal,
): Promise<Problem> {
  return new Promise((resolve) => {
    let text = '';
    const socket = openSocket(server, settings, () => socket.write('srvr'));
    const end = () => {
      clearTimeout(timeout);
      signal.removeEventListener('abort', end);
      socket.destroy();
      resolve(text.includes('not currently serving requests') ? notServing : notTaken);
    };
    const timeout = setTimeout(end, answerMs);
    signal.addEventListener('abort', end, { once: true });
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (text.length > lengthMax) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
