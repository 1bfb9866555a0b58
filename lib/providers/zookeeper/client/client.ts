/** ZooKeeper for the rest of the provider: paths within the chroot, results or `Problem`s. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import { problemOfError, type Reply } from './failure';
import { addWatch, errors, multi, type Request, sync, type ZkEvent } from './message';
import type { ZkClient, ZkNode, ZkOp, ZkRefused } from './node';
import { fromChroot, isPath, underChroot } from './path';
import { createSession, type Link, type SessionOptions } from './session';
import { answerBytesMaxDefault } from './settings';
import { readNode, readSubtree, type Scope } from './subtree';

export interface ZkListener {
  link(link: Link): void;
  change(change: ZkEvent): void;
}

/** The client, with the calls that only the watch needs. */
export interface ZkLine extends ZkClient {
  link(): Link;
  /** When the last answer of any kind came; `null`: never. */
  heardMs(): number | null;
  listen(listener: ZkListener): () => void;
  /**
   * Sends every change of a node and of all below it to the listeners, until the link breaks. `unsupported`: the server
   * is older than 3.6, and has closed the connection.
   */
  follow(path: string, signal: AbortSignal): Promise<'followed' | 'unsupported' | Problem>;
  /** Reads nodes and all below them, as this server has them. */
  readAll(
    roots: readonly string[],
    scope: Scope,
    signal: AbortSignal,
  ): Promise<Map<string, ZkNode> | Problem>;
  close(): Promise<void>;
}

const refusals: Readonly<Record<number, ZkRefused['refused']>> = {
  [errors.noNode]: 'no-node',
  [errors.badVersion]: 'bad-version',
  [errors.notEmpty]: 'not-empty',
};

/** Operations beside the one at fault have codes of their own: rolled back before it, never tried after it. */
function multiResult(codes: readonly number[]): 'done' | ZkRefused | Problem {
  const at = codes.findIndex((error) => error !== errors.ok && error !== errors.runtimeInconsistency);
  const error = codes[at];
  if (error === undefined)
    return codes.every((code) => code === errors.ok) ? 'done' : { refused: 'other', at: 0 };
  const refused = refusals[error];
  if (refused !== undefined) return { refused, at };
  return error === errors.noAuth ? problemOfError(error, 'multi', true) : { refused: 'other', at };
}

export function createZkClient(options: SessionOptions): ZkLine {
  const { chroot, answerBytesMax = answerBytesMaxDefault } = options.settings;
  const session = createSession(options);
  const absolute = (path: string) => underChroot(chroot, path);
  const caller =
    (signal: AbortSignal) =>
    <T>(request: Request<T>): Promise<Reply<T>> =>
      session.call(request, signal);
  const within = <N extends ZkNode | null | Problem>(node: N, path: string): N =>
    node === null || isProblem(node) ? node : { ...node, path };

  /** Reads under the servers' paths, and keeps the nodes under ours. */
  async function readBelow(
    roots: readonly string[],
    { bounds, skips, hidden }: Scope,
    signal: AbortSignal,
  ): Promise<Map<string, ZkNode> | Problem> {
    const nodes = new Map<string, ZkNode>();
    const own = (path: string) => fromChroot(chroot, path) ?? path;
    const failed = await readSubtree(caller(signal), roots.map(absolute), {
      bounds,
      into: nodes,
      skips: (path) => skips(own(path)),
      ...(hidden === undefined ? {} : { hidden: (path) => hidden(own(path)) }),
    });
    if (failed !== null) return failed;
    if (chroot === '') return nodes;
    return new Map([...nodes].map(([path, node]) => [own(path), { ...node, path: own(path) }]));
  }

  return {
    link: session.link,
    heardMs: session.heardMs,
    close: session.close,
    listen: (listener) =>
      session.listen({
        link: listener.link,
        event: ({ type, path }) => {
          const own = fromChroot(chroot, path);
          if (own !== null) listener.change({ type, path: own });
        },
      }),
    follow: async (path, signal) => {
      const reply = await session.call(addWatch(absolute(path)), signal);
      if (isProblem(reply)) return reply;
      if ('value' in reply) return 'followed';
      return reply.error === errors.unimplemented
        ? 'unsupported'
        : problemOfError(reply.error, 'addWatch', false);
    },
    readAll: readBelow,
    // Sends no request for an impossible path.
    read: async (path, signal) =>
      isPath(path) ? within(await readNode(caller(signal), absolute(path)), path) : null,
    subtree: async (path, nodesMax, signal) => {
      if (!isPath(path)) return new Map();
      const even = await session.call(sync(absolute(path)), signal);
      if (isProblem(even)) return even;
      if ('error' in even && even.error !== errors.noNode) return problemOfError(even.error, 'sync', false);
      const bounds = { nodesMax, bytesMax: answerBytesMax };
      return readBelow([path], { bounds, skips: () => false }, signal);
    },
    multi: async (ops, signal) => {
      const request = multi(ops.map((op): ZkOp => ({ ...op, path: absolute(op.path) })));
      const reply = await session.call(request, signal);
      if (isProblem(reply)) return reply;
      return 'value' in reply
        ? multiResult(reply.value)
        : problemOfError(reply.error, 'multi', request.writes);
    },
  };
}
