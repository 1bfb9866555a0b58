/**
 * Reads two things from the log that an agent streams (`/v1/agent/monitor`): renewals that it has answered, and our own
 * calls to it.
 *
 * A line has one of two forms, by the agent's version and by `logjson`. It says that a request finished, never how. A
 * refused renewal (403, 405, 500) has a second line, `Request error`, just before it, with the same client and URL.
 * This was seen on 1.8.7, and agent/http.go has kept the order. Later agents write `Request cancelled` when the client
 * had given up, as without a leader. A renewal of an ended session (404) has that line on 1.22.7, and on 1.8.7 looks
 * like any other.
 *
 * Lines hold keys and addresses of all clients. Agents since the end of 2024 log raw URLs with any `?token=`. So only a
 * session's id, our own mark and the client's address are ever kept, reported or put into an error.
 */

export type MonitorEvent =
  | { readonly kind: 'renewal'; readonly sessionId: string }
  /** Our own call, with its mark. */
  | { readonly kind: 'beat'; readonly mark: string };

/** A longer line is skipped. A URL may hold a key of several kilobytes. */
const lineLengthMax = 16_384;
/** Most refused renewals whose second line has not come. It comes at once. */
const refusedMax = 1_024;

const renewPath = '/v1/session/renew/';
/** Consul ignores this query parameter, and logs it. */
export const markName = 'signalbox';

interface Request {
  /** Another line will report its end, too. */
  readonly failed: boolean;
  readonly method: string;
  readonly url: string;
  readonly from: string;
}

/** Since 1.8 the module precedes the message, as `agent.http`. Values with a space are quoted. */
const textLine =
  /^\S+ \[(?:DEBUG|INFO|ERROR)\]\s+agent\.http: Request (finished|error|cancelled): method="?([A-Z]+)"? url="?([^\s"]+)"? from="?([^\s"]+)/;

function readText(line: string): Request | null {
  const [, what, method, url, from] = textLine.exec(line) ?? [];
  if (method === undefined || url === undefined || from === undefined) return null;
  return { failed: what !== 'finished', method, url, from };
}

function readJsonLine(line: string): Request | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // A cut or foreign line has no meaning here.
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Record<string, unknown>;
  const { method, url, from } = fields;
  if (fields['@module'] !== 'agent.http') return null;
  const what = /^Request (finished|error|cancelled)$/.exec(String(fields['@message']))?.[1];
  if (what === undefined) return null;
  if (typeof method !== 'string' || typeof url !== 'string' || typeof from !== 'string') return null;
  return { failed: what !== 'finished', method, url, from };
}

const sessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The session that a URL renews, or `null`. */
export function renewedSession(url: string): string | null {
  const path = url.split('?', 1)[0] ?? '';
  if (!path.startsWith(renewPath)) return null;
  try {
    const id = decodeURIComponent(path.slice(renewPath.length)).toLowerCase();
    return sessionId.test(id) ? id : null;
  } catch {
    return null;
  }
}

export function createLineReader(onEvent: (event: MonitorEvent) => void): (line: string) => void {
  const refused = new Set<string>();
  const markOf = new RegExp(`[?&]${markName}=([\\w-]+)`);
  const eventOf = ({ method, url }: Request): MonitorEvent | null => {
    const sessionId = method === 'PUT' ? renewedSession(url) : null;
    if (sessionId !== null) return { kind: 'renewal', sessionId };
    const mark = markOf.exec(url)?.[1];
    return mark === undefined ? null : { kind: 'beat', mark };
  };
  return (line) => {
    // Most lines are not relevant, and an agent may write thousands a second.
    if (!line.includes('agent.http') || !(line.includes(renewPath) || line.includes(`${markName}=`))) return;
    const request = line.startsWith('{') ? readJsonLine(line) : readText(line);
    const event = request === null ? null : eventOf(request);
    if (request === null || event === null) return;
    // The URL may hold a token, so the name leaves it out.
    const name = `${request.from} ${event.kind === 'renewal' ? event.sessionId : event.mark}`;
    if (request.failed) {
      if (refused.size >= refusedMax) refused.clear();
      refused.add(name);
    } else if (!refused.delete(name)) onEvent(event);
  };
}

/** Cuts a stream of text into lines, wherever its chunks end. */
export function createLineSplitter(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  let skipping = false;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      const line = rest + chunk.slice(from, end);
      if (!skipping && line.length <= lineLengthMax) onLine(line);
      rest = '';
      skipping = false;
      from = end + 1;
    }
    if (!skipping) rest += chunk.slice(from);
    if (rest.length > lineLengthMax) {
      rest = '';
      skipping = true;
    }
  };
}
