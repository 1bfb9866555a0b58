/** Steps that run before Next in every HTTP server of this process. */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Node publishes every request on this channel before the server gets it. */
const requests = channel('http.server.request.start');

/** A response emits this once its head is sent and a stream follows, for code that awaits its end. */
export const handedOver = 'handed-over';

/** `goOn` hands the request to the previous listeners. */
export type Step = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => void;

/** Sends every request through `step`, ahead of earlier steps. The returned function stops this for later servers. */
export function stepBefore(step: Step): () => void {
  const met = new WeakSet<Server>();
  const meet = (message: unknown) => {
    const { server } = message as { server: Server };
    if (met.has(server)) return;
    met.add(server);
    const others = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    server.on('request', (request, response) =>
      step(request, response, () => {
        for (const other of others) other.call(server, request, response);
      }),
    );
  };
  requests.subscribe(meet);
  return () => requests.unsubscribe(meet);
}

export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** Keeps repeated headers. Only path and query are read, so any host will do. */
export function webRequest({ url = '', method = 'GET', headers: said }: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(said))
    for (const value of typeof values === 'string' ? [values] : values) headers.append(name, value);
  return new Request(`http://signalbox${url}`, { method, headers });
}
