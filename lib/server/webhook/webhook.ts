/**
 * Sends every row of the audit to the operator's receiver, in order, at least once. The store is the queue, so no row
 * is dropped and memory holds one batch. An answer of 2xx accepts a row; after any other it is retried with growing
 * pauses, and later rows wait. The audit never waits for the webhook.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRow } from '@/lib/domain/actions/audit';
import type { Audit } from '@/lib/server/audit/audit';
import { within } from '@/lib/server/process/deadline';
import type { Env } from '@/lib/server/process/env';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Store } from '@/lib/server/store/store';
import { post } from './post';
import { createWebhookPlace, type WebhookPlace } from './webhook-progress';

export interface Webhook {
  wake(): void;
  /** `null` while the store does not answer. */
  backlog(): Promise<number | null>;
  /** Ends the present attempt and gives up the turn. */
  close(): Promise<void>;
}

export interface WebhookOptions {
  readonly url: URL;
  readonly secret: string;
  readonly audit: Pick<Audit, 'read'>;
  readonly place: WebhookPlace;
  readonly now: () => number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly attemptMs?: number;
  /** The pause after the first failure, doubled after each, up to `slowestMs`. */
  readonly retryMs?: number;
  readonly slowestMs?: number;
  /** The pause between looks for rows that other replicas wrote. */
  readonly lookMs?: number;
}

const batchRows = 100;
const backlogMs = 1_000;

/** Oldest first. `seq` has no gaps, so a window of it is read. */
async function rowsAfter(audit: Pick<Audit, 'read'>, seq: number): Promise<readonly AuditRow[]> {
  const read = await audit.read({ below: seq + batchRows + 1, limit: batchRows });
  return read.filter((row) => row.seq > seq).reverse();
}

export function createWebhook(options: WebhookOptions): Webhook {
  const { url, secret, audit, place, now, log } = options;
  const { attemptMs = 10_000, retryMs = 1_000, slowestMs = 300_000, lookMs = 2_000 } = options;
  const end = new AbortController();
  /** A path or query may contain a secret of the receiver. */
  const receiver = url.origin;
  let failures = 0;
  let awake = new AbortController();

  const pause = async (ms: number, until: AbortSignal) => {
    await delay(ms, undefined, { signal: AbortSignal.any([end.signal, until]) }).catch(() => {});
  };
  const failed = async (why: Record<string, unknown>, what: string) => {
    failures += 1;
    const waitMs = Math.min(slowestMs, retryMs * 2 ** Math.min(failures - 1, 30));
    // Logs each doubling of the failures, so that an outage does not fill the log.
    if (Number.isInteger(Math.log2(failures))) log.warn({ receiver, failures, waitMs, ...why }, what);
    // Replicas that failed together must not retry together.
    await pause(waitMs * (0.75 + Math.random() / 2), end.signal);
  };
  /** False: the round is over. */
  const send = async (row: AuditRow): Promise<boolean> => {
    const signal = within(attemptMs, end.signal);
    const answered = await post({ url, secret, row, atMs: now(), signal }).then(
      (status) => ({ status }),
      (error: unknown) => ({ status: null, ...errorFields(error), stack: undefined }),
    );
    if (end.signal.aborted) return false;
    if (answered.status === null || answered.status < 200 || answered.status > 299) {
      await failed({ seq: row.seq, ...answered }, 'the webhook did not take a row of the audit');
      return false;
    }
    if (failures > 0) log.info({ receiver, failures, seq: row.seq }, 'the webhook takes rows again');
    failures = 0;
    return place.sent(row.seq);
  };
  /** False: no row is due, or another replica has the turn. */
  const round = async (): Promise<boolean> => {
    const seq = await place.take();
    if (seq === null) return false;
    const rows = await rowsAfter(audit, seq);
    for (const row of rows) {
      // Renewed before each row, as an attempt may take long.
      if (row !== rows[0] && (await place.take()) === null) return false;
      if (!(await send(row))) return true;
    }
    return rows.length > 0;
  };
  const run = async () => {
    while (!end.signal.aborted) {
      awake = new AbortController();
      const busy = await round().catch(async (error: unknown) => {
        await failed(errorFields(error), 'the store did not say what to send to the webhook');
        return true;
      });
      if (!busy) await pause(lookMs, awake.signal);
    }
    await place.leave().catch(() => {});
  };
  const running = run();
  return {
    wake: () => awake.abort(),
    backlog: () => {
      // A scrape must not wait for a store that hangs.
      const timedOut = new Promise<null>((resolve) => {
        setTimeout(resolve, backlogMs, null).unref();
      });
      return Promise.race([place.behind().catch(() => null), timedOut]);
    },
    close: async () => {
      end.abort();
      await running;
    },
  };
}

export function announced<A extends Audit>(audit: A, webhook: Webhook | null): A {
  if (webhook === null) return audit;
  return {
    ...audit,
    append: async (entry, since) => {
      const row = await audit.append(entry, since);
      webhook.wake();
      return row;
    },
  };
}

export function openWebhook(options: {
  readonly env: Pick<Env, 'audit'>;
  readonly store: Store;
  readonly replica: string;
  readonly audit: Pick<Audit, 'read'>;
  readonly now: () => number;
  readonly log: Log;
}): Webhook | null {
  const { env, store, replica, audit, now, log } = options;
  const { webhook: url, webhookSecret: secret } = env.audit;
  if (url === null || secret === null) return null;
  const newest = async () => (await audit.read({ below: null, limit: 1 }))[0]?.seq ?? 0;
  const place = createWebhookPlace({ store, replica, newest, now });
  return createWebhook({ url, secret, audit, place, now, log });
}
