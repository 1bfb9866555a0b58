/** Requests to one followed agent, apart from the shared sockets, which a stream would keep for good. */
import http from 'node:http';
import https from 'node:https';
import type { ConsulSettings } from '@/lib/providers/consul/client/settings';

/** Longest time until an agent answers, or a stream begins. */
export const answerMs = 5_000;

export interface AgentRequest {
  readonly settings: ConsulSettings;
  readonly path: string;
  readonly signal: AbortSignal;
  /** `false`: a connection of its own. */
  readonly agent: http.Agent | false;
}

/** One connection for questions that come again and again, to be destroyed with the asker. */
export function lastingSocket({ protocol }: Pick<ConsulSettings, 'protocol'>): http.Agent {
  const Agent = protocol === 'https' ? https.Agent : http.Agent;
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

/** Sends a GET request to the agent of `settings`. Read the answer with `receive`. */
export function request({ settings, path, signal, agent }: AgentRequest): http.ClientRequest {
  const { tls } = settings;
  const options: https.RequestOptions = {
    host: settings.host,
    port: settings.port,
    path,
    agent,
    signal,
    headers: settings.token === null ? {} : { 'x-consul-token': settings.token },
    ...(settings.socketPath === null ? {} : { socketPath: settings.socketPath }),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
  };
  return (settings.protocol === 'https' ? https : http).get(options);
}

/** The status of a response, and its body piece by piece. Resolves at its end; rejects when it breaks. */
export function receive(
  call: http.ClientRequest,
  onHead: (status: number) => void,
  onText: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (response) => {
      onHead(response.statusCode ?? 0);
      // Keys may hold any bytes; the parts read here are ASCII.
      response.setEncoding('latin1');
      response.on('data', onText);
      response.on('error', reject);
      response.on('end', resolve);
      response.on('close', () => reject(Object.assign(new Error('The answer was cut.'), { code: 'CUT' })));
    });
  });
}

/** Sends a GET request for a short answer, and rejects when none comes in time. What is longer than `lengthMax` is cut. */
export async function ask(
  options: AgentRequest,
  lengthMax: number,
): Promise<{ status: number; text: string }> {
  const answer = { status: 0, text: '' };
  const call = request(options);
  // No signal of its own: Node keeps a trace of each signal made from a lasting one, and a follower lasts.
  const late = () => call.destroy(Object.assign(new Error('The answer is late.'), { code: 'LATE' }));
  const timer = setTimeout(late, answerMs);
  try {
    await receive(
      call,
      (status) => {
        answer.status = status;
      },
      (part) => {
        answer.text = (answer.text + part).slice(0, lengthMax);
      },
    );
  } finally {
    clearTimeout(timer);
  }
  return answer;
}

/** True for errors of a network, a server or a timeout; everything else is a bug. */
export function isFault(error: unknown): boolean {
  return error instanceof Error && ('code' in error || /^(Abort|Timeout)Error$/.test(error.name));
}
