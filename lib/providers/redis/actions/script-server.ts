/** Scripts over the links of a Redis: each goes to the master that has the slot of its keys. */
import { callOn, type Link } from '@/lib/providers/redis/client/link';
import type { Reply } from '@/lib/providers/redis/client/node';
import type { ScriptServer } from './reading';

/** Strings come as bytes. Ids that are no text are hexadecimal in our scripts. */
const textOf = (reply: Reply): unknown =>
  Buffer.isBuffer(reply) ? reply.toString('utf8') : Array.isArray(reply) ? reply.map(textOf) : reply;

/** `link`: the present one. It rejects with a `ProblemError` while there is none. */
export const scriptServer = (inCluster: boolean, link: () => Promise<Link>): ScriptServer => ({
  inCluster,
  run: async ({ text }, keys, args, { writes }) => {
    const command = ['EVAL', text, String(keys.length), ...keys, ...args];
    return textOf(await callOn(await link(), keys[0] ?? '', command, { writes }));
  },
});
