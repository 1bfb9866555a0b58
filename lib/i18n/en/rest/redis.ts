/** English: what Redis says in its own words, of what is read after the first sight. */
import type {
  RedisCondition,
  RedisDifference,
  RedisEvidence,
  RedisNote,
  RedisSummary,
  RedisUndo,
  RedisWarning,
} from '@/lib/domain/codes/redis';
import type { Sayings } from '@/lib/domain/message';
import { formatCount, formatDuration } from '@/lib/i18n/format/format';

const many = (n: number, one: string, more = `${one}s`) => `${formatCount(n)} ${n === 1 ? one : more}`;
/** Every part is complete, or does not compile. */
export const redis = {
  evidenceSources: { redis: 'Redis' },
  evidence: {
    'redis-lease-runs': (_: string | null, at: string | null = null) =>
      at === null ? 'Its lease runs.' : `Its lease runs until ${at}.`,
    'redis-lease-renewed': (lease: string | null) =>
      `Signalbox saw its lease of ${lease ?? 'unknown length'} renewed, as a watchdog does. A thread that lets go and takes the lock again looks the same.`,
    'redis-renewal-overdue': (lease: string | null, at: string | null = null) =>
      `Its lease of ${lease ?? 'unknown length'} was renewed${at === null ? '' : ` until ${at}`} and not since. A watchdog renews every third of it.`,
    'redis-lease-fixed': () =>
      'Signalbox saw its lease begin and not renewed since, as with a fixed lease, or a client that died.',
    'redis-no-lease': () => 'It has no lease: nothing ends it.',
    'redis-permit-over': (_: string | null, at: string | null = null) =>
      `Its time was over${at === null ? '' : ` at ${at}`}. The next client that asks for a permit sweeps it.`,
    'redis-client': (client: string | null) =>
      `Redisson client ${client ?? '?'}. Redis knows no address for it.`,
    'redis-thread': (thread: string | null) => `Thread ${thread ?? '?'} of that client.`,
    'redis-subscribed': () => 'A client listens on its channel.',
    'redis-not-subscribed': (_: string | null, at: string | null = null) =>
      `Nobody listens on its channel${at === null ? '' : ` since ${at}`}, as after its client died. One that subscribes through a replica looks the same.`,
    'redis-not-asked': () => 'Whether a client listens on its channel is not known.',
    'redis-writer-reads-on': (writer: string | null, at: string | null = null) =>
      `The writer ${writer ?? '?'} let go${at === null ? '' : ` at ${at}`} and still reads.`,
    'redis-thread-lost': (name: string | null, at: string | null = null) =>
      `Signalbox removed the same thread of this client from ${name ?? 'another lock'}${at === null ? '' : ` at ${at}`}.`,
    'redis-sleep-ends': (_: string | null, at: string | null = null) =>
      at === null
        ? 'A reader that waits sleeps until a message wakes it.'
        : `A reader that waits sleeps until ${at} at the latest, when the lease that it read ends.`,
  } satisfies Record<RedisEvidence, unknown>,
  summaries: {
    'redis-remove-holder': ({ key, holder }) => `Take ${key} from ${holder}.`,
    'redis-remove-reader': ({ key, holder }) =>
      `Take the read hold of ${holder} on ${key}. Other readers stay.`,
    'redis-remove-waiter': ({ key, waiter }) => `Remove ${waiter} from the queue of ${key}.`,
    'redis-wake': ({ key }) => `Wake the clients that wait for ${key}. Nothing stored changes.`,
    'redis-take-permit': ({ prefix, holder }) => `Take permit ${holder} of ${prefix} and free it.`,
    'redis-sweep': ({ semaphores, permits }) =>
      `Sweep ${many(permits, 'expired permit')}${semaphores === 1 ? '' : ` of ${formatCount(semaphores)} semaphores`}.`,
    'redis-return': ({ prefix, permits }) => `Give ${many(permits, 'permit')} back to ${prefix}.`,
  } satisfies Sayings<RedisSummary>,
  conditions: {
    'redis-same-holder': ({ sessionId, count }) =>
      `${sessionId} still holds it ${count === '1' ? 'once' : `${count} times`}, with a lease that this hold can have`,
    'redis-same-token': ({ sessionId, token }) =>
      `${sessionId} still holds it and the fencing token is still ${token}`,
    'redis-still-waits': ({ sessionId }) => `${sessionId} still waits, and has not queued again`,
    'redis-still-dead': ({ sessionId }) => `${sessionId} still waits and no client listens on its channel`,
    'redis-lock-open': () => 'no client holds it alone at that moment',
    'redis-permit-there': ({ sessionId }) => `permit ${sessionId} is still taken`,
    'redis-still-over': ({ permits }) => `a permit is still expired (${many(permits, 'permit')} in all)`,
    'redis-available-is': ({ available }) => `${many(available, 'permit is', 'permits are')} still free`,
  } satisfies Sayings<RedisCondition>,
  warnings: {
    'redis-reentered': ({ count }) =>
      `The holder took it ${count} times. Its client keeps a renewal timer for this lock, which may stop early. If another thread of that client gets the lock next, it may lose it after one lease without notice.`,
    'redis-same-thread': () =>
      'This lock has no fencing token. If the same thread lets go and takes it again, Redis shows the same holder. Signalbox compares the lease and refuses where a new hold shows. It cannot always tell.',
    'redis-fenced': ({ token }) => `Fencing token ${token}: only the hold that you saw can be removed.`,
    'redis-multi': ({ others, names }) =>
      `The same thread holds ${many(others, 'other lock')}: ${names.replaceAll('\n', ', ')}. If they are one MultiLock, its unlock fails here and leaves the later ones locked and renewed.`,
    'redis-clients-wait': ({ clients }) =>
      clients === null
        ? 'Signalbox cannot count the clients that wait.'
        : clients === 0
          ? 'No client listens for it now. One that polls is not counted.'
          : `${many(clients, 'client waits', 'clients wait')}. The fastest gets it.`,
    'redis-next-dead': ({ waiter }) =>
      `No client listens on the channel of ${waiter}, the next in the queue. While it is first, no client gets the lock. Remove it from the queue, too.`,
    'redis-frees-itself': ({ withinMs }) =>
      withinMs === null
        ? 'No lease ends this hold.'
        : `Without this action its lease ends in ${formatDuration(withinMs)} unless renewed.`,
    'redis-readers-stay': ({ readers }) =>
      `${many(readers, 'other reader keeps', 'other readers keep')} the lock.`,
    'redis-one-of-several': () =>
      'This Redis may be one of several that the redlock is on. If so, do the same on each of the others: a majority decides.',
    'redis-waiter-dead': () =>
      'No client listens on its channel. A client that subscribes through a replica would look the same.',
    'redis-waiter-returns': () => 'A client that still waits queues again, at the end.',
    'redis-wake-changes-nothing': () =>
      'Clients ask again for the lock. If none sleeps, nothing happens. Redis does not say how many woke.',
    'redis-clocks': () =>
      'Clients write the end of a permit by their own clocks. Redis’s clock decides here, as it would for any client with the right time.',
    'redis-more-over': ({ permits }) =>
      `${many(permits, 'more expired permit stays', 'more expired permits stay')}: plan again for them.`,
    'redis-below-held': ({ held, limit }) =>
      `${many(held, 'permit is', 'permits are')} taken: a limit of ${limit} takes none back. No client gets one before fewer than ${limit} are taken.`,
    'redis-no-names': () =>
      'Redis does not know who took a permit. If a client that you think dead gives its own back later, there is one too many.',
    'redis-beyond-limit': ({ available, limit }) =>
      `${many(available, 'permit', 'permits')} would be free, more than the configured limit of ${limit}.`,
    'redis-not-replicated': () =>
      'No replica has confirmed this yet. If the primary fails now, Redis may undo it. Check again after a failover.',
    'redis-setting-stays': ({ prefix, limit }) =>
      `This adds or takes free permits. The limit of ${prefix} is a setting of Signalbox: set it to ${limit}, too.`,
  } satisfies Sayings<RedisWarning>,
  undos: {
    'redis-nothing-to-undo': () => 'No undo needed: nothing stored changes.',
    'redis-none-permits': () => 'No undo: clients may take the permits at once.',
  } satisfies Sayings<RedisUndo>,
  notes: {
    'redis-script': () =>
      'A shorter script that compares less than Signalbox does. 1: done; 0: it has changed, nothing was written.',
  } satisfies Sayings<RedisNote>,
  differences: {
    'redis-count-changed': ({ key, before, now }) => `${key} was taken ${before} times, now ${now}`,
    'redis-token-changed': ({ key, before, now }) =>
      `the fencing token of ${key} was ${before || 'none'}, now ${now || 'none'}`,
    'redis-lease-changed': ({ key }) =>
      `the lease of ${key} changed other than by a renewal, as by a new hold`,
    'redis-kind-changed': ({ key }) => `${key} is another kind of entry now`,
    'redis-not-waiting': ({ sessionId }) => `${sessionId} no longer waits`,
    'redis-queued-again': ({ sessionId }) => `${sessionId} queued again`,
    'redis-waiter-lives': ({ sessionId }) => `a client listens on the channel of ${sessionId} now`,
    'redis-held-now': ({ key, holder }) => `${holder || 'a client'} holds ${key} now`,
    'redis-permit-gone': ({ sessionId }) => `permit ${sessionId} is no longer taken`,
    'redis-available-changed': ({ before, now }) => `${before} permits were free, now ${now}`,
  } satisfies Sayings<RedisDifference>,
};
