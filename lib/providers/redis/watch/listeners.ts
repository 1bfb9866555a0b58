/** What a look for listeners says of one name. Pure. */
import type { Audience, Memory } from '@/lib/providers/redis/recognise/memory';
import { channelsOf } from '@/lib/providers/redis/recognise/party';
import { channelOf } from '@/lib/providers/redis/recognise/rows';
import { type Sleep, sleepHeard } from '@/lib/providers/redis/recognise/unwoken';
import type { Look } from './audience';

interface Listened {
  readonly memory: Memory;
  readonly audience: Audience | null;
}

/** Shared, because most names have no queue. */
const noneSilent: ReadonlyMap<string, null> = new Map();

/** The number of listeners on the name's own channel; `null`: others may be among them. */
function clientsOf(memory: Memory, look: Look): number | null {
  if (look.shared) return null;
  const channel = channelOf(memory);
  return channel === null ? 0 : (look.clients.get(channel) ?? 0);
}

/** True when the look changes nothing in the row. Waiters of a fair lock may turn into ghosts with time alone. */
export const saysTheSame = ({ memory, audience }: Listened, look: Look | null): boolean =>
  look === null || audience === null
    ? look === audience
    : memory.read.queue.length === 0 &&
      memory.sleep.unwoken === null &&
      audience.silentSinceMs.size === 0 &&
      audience.clients === clientsOf(memory, look);

/** `waiters`: the look came after the waiters, and so says something of them. */
export function audienceOf(
  { memory, audience: before }: Listened,
  look: Look | null,
  { waiters, nowMs }: { readonly waiters: boolean; readonly nowMs: number },
): Audience | null {
  if (look === null) return null;
  const queue = waiters ? channelsOf(memory) : [];
  if (queue.length === 0) return { clients: clientsOf(memory, look), silentSinceMs: noneSilent, atMs: nowMs };
  const silentSinceMs = new Map<string, number | null>();
  for (const [waiter, own] of queue) {
    const came = memory.arrivals.get(waiter) ?? nowMs;
    if (look.clients.has(own)) silentSinceMs.set(waiter, null);
    else if (look.proves(own) && came <= look.fromMs)
      silentSinceMs.set(waiter, before?.silentSinceMs.get(waiter) ?? nowMs);
  }
  return { clients: clientsOf(memory, look), silentSinceMs, atMs: nowMs };
}

/** The clients that sleep beside readers, after this look. */
export function sleepAfterLook(memory: Memory, look: Look | null): Sleep {
  const clients = look === null ? null : clientsOf(memory, look);
  return look === null || clients === null ? memory.sleep : sleepHeard(memory.sleep, clients, look.fromMs);
}
