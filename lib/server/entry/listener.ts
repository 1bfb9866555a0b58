/**
 * The way of each request. The server notes its origin (`peer.ts`), makes it wait for its turn (`admission.ts`), and
 * answers a stream itself (`handover.ts`). Next gets everything else.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { normalizeRequest } from '@/lib/server/http/peer';
import { answerStream } from '@/lib/server/stream/handover';
import { type DoorOptions, takeTurn } from './admission';

/** Routes by path. Each answers GET. */
export type StreamRoutes = Readonly<Record<string, (request: Request) => Promise<Response>>>;

export interface ListenerOptions {
  /** Next's answer. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly onBug: (error: unknown) => void;
  /** `null`: every request goes to Next at once, streams too. */
  readonly entry: (DoorOptions & { readonly streams: StreamRoutes }) | null;
}

/** Keeps repeated headers. Only path and query are read, so any host will do. */
function webRequest({ url = '', method = 'GET', headers: incoming }: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming))
    for (const value of typeof values === 'string' ? [values] : values) headers.append(name, value);
  return new Request(`http://signalbox${url}`, { method, headers });
}

export function createListener({ answer, onBug, entry }: ListenerOptions): RequestListener {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    normalizeRequest(request);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (entry === null) return answer(request, response);
    const fetchRequest = webRequest(request);
    const endTurn = await takeTurn({ asked: fetchRequest, path, response }, entry);
    if (endTurn === null) return;
    const route =
      fetchRequest.method === 'GET' && Object.hasOwn(entry.streams, path) ? entry.streams[path] : undefined;
    if (route === undefined) return answer(request, response);
    await answerStream({ request, response, asked: fetchRequest }, { pass: entry.pass, route });
    // A stream lasts for hours after its turn.
    endTurn();
  };
  return (request, response) =>
    void respond(request, response).catch((error: unknown) => {
      onBug(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { connection: 'close' }).end();
    });
}
