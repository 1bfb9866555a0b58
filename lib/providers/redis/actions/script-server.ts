/** Runs each script on the master that has the slot of its keys. */
import type { Link } from '@/lib/providers/redis/client/link';
import type { Reply } from '@/lib/providers/redis/client/node';
import type { ScriptServer } from './reading';

/** Longest time for one replica to confirm a write. Later actions on the same master wait for it. */
const replicaMs = 500;

/** Strings come as bytes. Our scripts give binary ids as hexadecimal digits. */
const textOf = (reply: Reply): unknown =>
  Buffer.isBuffer(reply) ? reply.toString('utf8') : Array.isArray(reply) ? reply.map(textOf) : reply;

/** `link`: the present link. It rejects with a `ProblemError` while there is none. */
export const scriptServer = (inCluster: boolean, link: () => Promise<Link>): ScriptServer => ({
  inCluster,
  run: async ({ text }, keys, args, { writes }) => {
    const command = ['EVAL', text, String(keys.length), ...keys, ...args];
    const node = (await link()).nodeOf(keys[0] ?? '');
    return textOf(await node.call(command, { writes }));
  },
  replicated: async (key) => {
    try {
      const node = (await link()).nodeOf(key);
      const role = await node.call(['ROLE']);
      const replicas = Array.isArray(role) ? role[2] : null;
      if (!Array.isArray(replicas) || replicas.length === 0) return null;
      const confirmed = await node.call(['WAIT', '1', String(replicaMs)]);
      return typeof confirmed === 'number' && confirmed > 0;
    } catch {
      return null;
    }
  },
});
