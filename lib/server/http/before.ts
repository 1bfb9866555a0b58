/** What stands before Next in every server of this process. */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Node tells of every request on this channel before it hands it to the server. */
const requests = channel('http.server.request.start');

/** What a response says of itself once its head is sent and a stream goes on from there: for whoever waited for its end. */
export const handedOver = 'handed-over';

/** `goOn`: hands the request to whatever answered before. */
export type Step = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => void;

/** From now on every request goes through `step`, and before the steps that were set before. Returns what ends that for servers that come later. */
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

/** The path as it was asked for, without its query. */
export const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** As the web has it: a name may be there several times. The address is only read, so it needs no host. */
export function webRequest({ url = '', method = 'GET', headers: said }: IncomingMessage): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(said))
    for (const value of typeof values === 'string' ? [values] : values) headers.append(name, value);
  return new Request(`http://signalbox${url}`, { method, headers });
}
