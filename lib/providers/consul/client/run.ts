/** Runs one call of the `consul` package, with a timeout and one family of errors. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { runInSlices } from '@/lib/domain/sliced-work';
import { ConsulError, toConsulError } from './errors';
import { LargeBody, readingJson } from './large-body';
import type { Call, PackageRequest } from './package';
import { hearHead } from './sockets';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Called when the answer has begun, so there may be news. */
  readonly onHead?: () => void;
}

/** Longer than the 7 s for which Consul waits for a leader. A shorter limit would lose Consul's answer. */
export const callTimeoutMs = 10_000;

export interface Running {
  readonly name: string;
  readonly call: Call;
  readonly request: PackageRequest;
  readonly options: CallOptions;
  /** Leaves a large answer unread. */
  readonly unread?: boolean;
  /** A write without an answer may have been made. */
  readonly write: boolean;
  /** The client closes, which ends the call like a broken connection. */
  readonly closing: AbortSignal;
  /** The datacenter that the agent passes the call on to; `null`: its own. */
  readonly remote: string | null;
}

/** Throws a `ConsulError`, or the signal's reason. */
export async function run({
  name,
  call,
  request,
  options: { signal, timeoutMs = callTimeoutMs, onHead = () => {} },
  unread = false,
  write,
  closing,
  remote,
}: Running): Promise<[IncomingMessage, unknown]> {
  signal?.throwIfAborted();
  // The package marks a context as used.
  const context = Object.assign(new EventEmitter(), { includeResponse: true });
  const cancel = () => context.emit('cancel');
  for (const end of [signal, closing]) end?.addEventListener('abort', cancel, { once: true });
  try {
    const running = hearHead(onHead, () => call({ ...request, ctx: context, timeout: timeoutMs }));
    if (closing.aborted) cancel();
    const [response, body] = (await running) as [IncomingMessage, unknown];
    return [
      response,
      body instanceof LargeBody && !unread ? await runInSlices(readingJson(body), yieldToEventLoop) : body,
    ];
  } catch (thrown) {
    signal?.throwIfAborted();
    throw toConsulError(thrown, { name, write, timeoutMs, remote });
  } finally {
    for (const end of [signal, closing]) end?.removeEventListener('abort', cancel);
  }
}

const notReadable = (name: string, wrote: boolean, cause: unknown) =>
  new ConsulError(
    {
      code: wrote ? 'unknown-result' : 'unavailable',
      why: { code: 'answer-not-readable', facts: { call: name } },
    },
    200,
    '',
    { cause },
  );

/** `wrote`: an unreadable answer leaves the result unknown. */
export function parsed<T>(name: string, parse: (body: unknown) => T, body: unknown, wrote = false): T {
  try {
    return parse(body);
  } catch (cause) {
    throw notReadable(name, wrote, cause);
  }
}

/** As `parsed`, for a long answer of a read. */
export async function parsedInSlices<T>(
  name: string,
  parse: (body: unknown) => T | Promise<T>,
  body: unknown,
): Promise<T> {
  try {
    return await parse(body);
  } catch (cause) {
    throw notReadable(name, false, cause);
  }
}

/** Go writes an empty list as `null`. */
export const listOf =
  <S extends z.ZodType>(schema: S) =>
  (body: unknown): z.output<S>[] =>
    z.array(schema).parse(body ?? []);

export function header(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name];
  return typeof value === 'string' ? value : null;
}

/** A numeric header. A value that a proxy changed counts as none, or it would end the watch. */
export function figures(response: IncomingMessage, name: string): string | null {
  const value = header(response, name);
  return value !== null && /^\d{1,20}$/.test(value) ? value : null;
}
