/** Plain HTTP as a careful program uses it, with counts. */
import http from 'node:http';

export interface PlainAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Requests on kept connections. */
export interface Plain {
  request(
    method: string,
    path: string,
    options?: { body?: string | Buffer; headers?: http.OutgoingHttpHeaders; signal?: AbortSignal },
  ): Promise<PlainAnswer>;
  /** As `request`; throws for any status but 200, and parses the body. */
  json<T>(method: string, path: string, body?: string | Buffer): Promise<T>;
  /** Requests sent, and bytes of the answers' bodies, so far. */
  readonly count: { requests: number; bytes: number };
  close(): void;
}

/** A client of `host:port`, which sends these headers with each request. Close it when done. */
export function plainHttp(address: string, always: http.OutgoingHttpHeaders = {}): Plain {
  const [host = '', port = ''] = address.replace(/^http:\/\//, '').split(':');
  const agent = new http.Agent({ keepAlive: true });
  const count = { requests: 0, bytes: 0 };
  const request: Plain['request'] = (method, path, { body, headers = {}, signal } = {}) =>
    new Promise((resolve, reject) => {
      count.requests += 1;
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const asked = http.request(
        {
          host,
          port,
          agent,
          method,
          path,
          headers: { ...length, ...always, ...headers },
          ...(signal === undefined ? {} : { signal }),
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('error', reject);
          answer.on('end', () => {
            const whole = Buffer.concat(parts);
            count.bytes += whole.length;
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: whole });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  return {
    request,
    json: async <T>(method: string, path: string, body?: string | Buffer) => {
      const answer = await request(method, path, body === undefined ? {} : { body });
      if (answer.status !== 200)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 200)}`);
      return JSON.parse(answer.body.toString('utf8')) as T;
    },
    count,
    close: () => agent.destroy(),
  };
}
