/**
 * One connection to one server, and the only file that imports @redis/client. It never reconnects: its owner opens
 * another and reads everything again, because pushes and answers in between are lost.
 */
import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  createClient,
  ErrorReply,
  RESP_TYPES,
} from '@redis/client';
import type { Problem } from '@/lib/domain/problem';
import {
  afterSending,
  connectionBroke,
  failed,
  givenUp,
  noAnswer,
  problemOfAnswer,
  problemOfSystem,
} from './failure';
import type { Endpoint, RedisSettings } from './settings';

export type Argument = string | Buffer;
export type Command = readonly Argument[];

/** An error that Redis answered, in its own words. */
export class Refused {
  constructor(readonly message: string) {}
}

/** A reply. Strings come as bytes, and simple strings (such as a type) as text. Doubles keep their digits. */
export type Reply = null | boolean | number | string | Buffer | Refused | readonly Reply[];

/** '': the reply is no string. */
export const textOf = (reply: Reply | undefined): string =>
  Buffer.isBuffer(reply) ? reply.toString('utf8') : typeof reply === 'string' ? reply : '';
/** `[]`: the reply is no list. */
export const listOf = (reply: Reply | undefined): readonly Reply[] =>
  Array.isArray(reply) ? (reply as readonly Reply[]) : [];

export interface RedisNode {
  readonly endpoint: Endpoint;
  /**
   * Sends all commands at once and in order, with none of ours between. Throws a `ProblemError` when the link breaks.
   * An error that Redis answers stays in its place.
   */
  batch(commands: readonly Command[], options?: CallOptions): Promise<readonly Reply[]>;
  /** Sends one command. Throws a `ProblemError` also when Redis refuses it. */
  call(command: Command, options?: CallOptions): Promise<Reply>;
  /** Receives the messages of the channels that match. */
  listen(patterns: readonly string[], onChannel: (channel: string) => void): Promise<void>;
  /** Resolves with the reason once this connection is unusable. Never rejects. */
  readonly broken: Promise<Problem>;
  close(): void;
}

export interface CallOptions {
  /** Default 5 s. The connection is then given up, because the next answer could be as late. */
  readonly timeoutMs?: number;
  /** A broken link leaves the result of a write open: `unknown-result`. */
  readonly writes?: boolean;
}

export interface NodeOptions {
  readonly endpoint: Endpoint;
  readonly settings: Pick<RedisSettings, 'tls' | 'user' | 'password' | 'database'>;
  /** Receives the keys of a tracking connection; `null`: any key may have changed. */
  readonly onChange?: (key: Buffer | null) => void;
  readonly signal: AbortSignal;
}

const connectMs = 4_000;
const answerMs = 5_000;

/** The name in `CLIENT LIST`, by which the server's operator recognises the connection. */
const clientName = 'signalbox';

const typeMapping = {
  [RESP_TYPES.BLOB_STRING]: Buffer,
  [RESP_TYPES.DOUBLE]: String,
  [RESP_TYPES.BIG_NUMBER]: String,
  [RESP_TYPES.MAP]: Array,
} as const;

function replyOf(raw: unknown): Reply {
  if (raw instanceof Error) return new Refused(raw.message);
  if (Array.isArray(raw)) return raw.map(replyOf);
  if (Buffer.isBuffer(raw) || typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'boolean')
    return raw;
  if (typeof raw === 'bigint') return String(raw);
  return null;
}

function problemOf(error: unknown, command: string): Problem {
  if (error instanceof ErrorReply) return problemOfAnswer(error.message, command);
  if (error instanceof ConnectionTimeoutError) return noAnswer(connectMs);
  return problemOfSystem(error) ?? connectionBroke;
}

function socketOf({ host, port }: Endpoint, tls: RedisSettings['tls']) {
  const common = { host, port, connectTimeout: connectMs, reconnectStrategy: false as const };
  if (tls === null) return common;
  const pem = (bytes: Uint8Array | null) => (bytes === null ? undefined : Buffer.from(bytes));
  return {
    ...common,
    tls: true as const,
    ca: pem(tls.ca),
    cert: pem(tls.cert),
    key: pem(tls.key),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
  };
}

/** Throws a `ProblemError` when the server cannot be reached, or refuses the sign-in. */
export async function openNode({ endpoint, settings, onChange, signal }: NodeOptions): Promise<RedisNode> {
  if (signal.aborted) throw failed(givenUp);
  const client = createClient({
    RESP: 3,
    socket: socketOf(endpoint, settings.tls),
    ...(settings.password === null ? {} : { password: settings.password }),
    ...(settings.user === null ? {} : { username: settings.user }),
    database: settings.database,
    name: clientName,
    disableOfflineQueue: true,
    // Redis before 7.2 does not know the command, and each refusal enters its ACL LOG.
    disableClientInfo: true,
    // The client would ask every server for a feature of one vendor.
    maintNotifications: 'disabled',
    emitInvalidate: onChange !== undefined,
    commandOptions: { typeMapping, timeout: undefined },
  });
  let broke: (problem: Problem) => void = () => {};
  const broken = new Promise<Problem>((resolve) => {
    broke = resolve;
  });
  let fault: Problem | null = null;
  const end = (problem: Problem) => {
    if (fault !== null) return;
    fault = problem;
    client.destroy();
    broke(problem);
  };
  client.on('error', (error: unknown) => end(problemOf(error, 'CONNECT')));
  client.on('terminated', (error: unknown) => end(problemOf(error, 'CONNECT')));
  client.on('invalidate', (key: Buffer | string | null) =>
    onChange?.(typeof key === 'string' ? Buffer.from(key) : key),
  );
  const stop = () => end(givenUp);
  signal.addEventListener('abort', stop, { once: true });
  void broken.then(() => signal.removeEventListener('abort', stop));
  const timeout = setTimeout(() => end(noAnswer(connectMs)), connectMs);
  try {
    await client.connect();
  } catch (error) {
    end(problemOf(error, 'HELLO'));
  } finally {
    clearTimeout(timeout);
  }
  const atStart: Problem | null = fault;
  if (atStart !== null) throw failed(atStart);

  async function send(command: Command, writes: boolean): Promise<Reply> {
    try {
      return replyOf(await client.sendCommand([...command]));
    } catch (error) {
      if (error instanceof ErrorReply) return new Refused(error.message);
      const [name = ''] = command;
      const problem = fault ?? problemOf(error, String(name));
      const unsent = error instanceof ClientOfflineError || error instanceof ClientClosedError;
      throw failed(writes && !unsent ? afterSending(problem) : problem, error);
    }
  }

  async function batch(
    commands: readonly Command[],
    { timeoutMs = answerMs, writes = false }: CallOptions = {},
  ): Promise<readonly Reply[]> {
    const timer = setTimeout(() => end(noAnswer(timeoutMs)), timeoutMs);
    try {
      const sent = commands.map((command) => send(command, writes));
      // All are awaited, so that a second failure is not an unhandled rejection.
      const settled = await Promise.allSettled(sent);
      return settled.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    endpoint,
    broken,
    batch,
    call: async (command, options) => {
      const [reply = null] = await batch([command], options);
      if (reply instanceof Refused) throw failed(problemOfAnswer(reply.message, nameOf(command)));
      return reply;
    },
    listen: async (patterns, onChannel) => {
      try {
        await client.pSubscribe([...patterns], (_message, channel) => onChannel(String(channel)));
      } catch (error) {
        throw failed(fault ?? problemOf(error, 'PSUBSCRIBE'), error);
      }
    },
    close: () => end(givenUp),
  };
}

/** The name of a command for people, such as `CLIENT TRACKING`. */
function nameOf([first = '', second = '']: Command): string {
  const sub = String(second);
  return /^[A-Z]+$/.test(sub) && /^[A-Z]+$/.test(String(first)) ? `${first} ${sub}` : String(first);
}
