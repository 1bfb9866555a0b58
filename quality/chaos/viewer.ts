/** A screen without a browser: the page's own stream code on a plain connection, with its words at any moment. */
import http from 'node:http';
import { type ConnectionState, followStream } from '@/lib/client/stream';
import { outageOf } from '@/lib/domain/outage';
import type { Snapshot } from '@/lib/domain/world/snapshot';

/** The screen as a person would see it. */
export interface Screen {
  /** True when it says "live", which both the browser's connection and the source must be. */
  readonly live: boolean;
  /** `live`, or the reason against it: an outage's code, or a state. */
  readonly says: string;
  readonly snapshot: Snapshot | null;
}

export interface Said {
  readonly atMs: number;
  readonly says: string;
}

export interface Viewer {
  screen(): Screen;
  /** True when it shows only the lock that beats, and so is compared with that one alone. */
  readonly part?: boolean;
  /** Longest time that it may say "live" over old data, in milliseconds, where its way to Signalbox is cut. */
  readonly boundMs?: number;
  /** True when its document is another than when this was last asked; absent without a document. */
  reloaded?(): Promise<boolean>;
  /** Every change of its words since the beginning; instants of `performance.now()`. */
  readonly said: readonly Said[];
  /** The number of whole snapshots. More than one means that the stream was reopened without the missed events. */
  readonly wholes: number;
  close(): void;
}

/** The rest between sign-ins after Consul lost its tokens, until they are made again. */
const signInAgainMs = 500;

/** Follows the events of a Signalbox from now on, through everything, like an open page whose person signs in again. */
export function openViewer(
  baseUrl: string,
  {
    headers = {},
    part = false,
    boundMs,
  }: { headers?: Readonly<Record<string, string>>; part?: boolean; boundMs?: number } = {},
): Viewer {
  let connection: ConnectionState = 'connecting';
  let snapshot: Snapshot | null = null;
  let wholes = 0;
  const said: Said[] = [];
  let signsIn: ReturnType<typeof setTimeout> | undefined;
  const screen = (): Screen => {
    const source = snapshot?.source ?? null;
    const live = connection === 'live' && source?.state === 'live';
    const behind = source === null ? 'nothing yet' : (outageOf(source) ?? source.state);
    return { live, says: live ? 'live' : connection === 'lost' ? 'console-unreachable' : behind, snapshot };
  };
  const note = () => {
    const { says } = screen();
    if (said.at(-1)?.says !== says) said.push({ atMs: performance.now(), says });
  };
  const stream = followStream({
    onSnapshot: (next, patch) => {
      if (patch === null) wholes += 1;
      snapshot = next;
      note();
    },
    onState: (next) => {
      connection = next;
      note();
    },
    // The stream does not retry then.
    onSignedOut: () => {
      signsIn = setTimeout(() => stream.resume(), signInAgainMs);
    },
    open: (url) => openEvents(`${baseUrl}${url}`, headers),
  });
  return {
    screen,
    part,
    ...(boundMs === undefined ? {} : { boundMs }),
    said,
    get wholes() {
      return wholes;
    },
    close: () => {
      clearTimeout(signsIn);
      stream.pause();
    },
  };
}

/** The part of `EventSource` that `followStream` uses. */
function openEvents(url: string, headers: Readonly<Record<string, string>>): EventSource {
  const target = new EventTarget();
  const fail = () => target.dispatchEvent(new Event('error'));
  const request = http.get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
  request.on('error', fail);
  request.on('response', (response) => {
    if (response.statusCode !== 200) {
      response.resume();
      fail();
      return;
    }
    let parts: string[] = [];
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      // Joined only at the end of an event, because a snapshot comes in many pieces.
      parts.push(part);
      if (!part.includes('\n')) return;
      const blocks = parts.join('').split('\n\n');
      parts = [blocks.pop() ?? ''];
      for (const block of blocks) deliver(target, block);
    });
    response.on('error', fail);
    response.on('end', fail);
  });
  return Object.assign(target, { close: () => request.destroy() }) as unknown as EventSource;
}

function deliver(target: EventTarget, block: string): void {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const name = fields.get('event');
  const data = fields.get('data');
  if (name === undefined || data === undefined) return;
  target.dispatchEvent(new MessageEvent(name, { data, lastEventId: fields.get('id') ?? '' }));
}
