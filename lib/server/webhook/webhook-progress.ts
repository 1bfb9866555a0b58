/** The webhook's progress in the store. One replica sends at a time: it has the turn, and keeps it by renewal. */
import type { Store } from '@/lib/server/store/store';

export interface WebhookPlace {
  /** Returns the last sent row; `null`: another replica has the turn. */
  take(): Promise<number | null>;
  /** False: the turn was lost meanwhile. */
  sent(seq: number): Promise<boolean>;
  /** Gives up the turn. */
  leave(): Promise<void>;
  behind(): Promise<number>;
}

export interface WebhookPlaceOptions {
  readonly store: Store;
  readonly replica: string;
  /** The start if no row was ever sent: history is not sent. */
  readonly newest: () => Promise<number>;
  readonly now: () => number;
}

/** Longer than an attempt may take. */
export const turnMs = 30_000;
/** A new address continues from the same place. */
const receiver = 'webhook';

export function createWebhookPlace({ store, replica, newest, now }: WebhookPlaceOptions): WebhookPlace {
  const { db } = store;
  const table = 'signalbox_audit_sent';
  const ownRow = () => db.updateTable(table).where('receiver', '=', receiver);
  const lease = () => ({ sender: replica, until_ms: now() + turnMs });
  return {
    take: async () => {
      await store.migrate();
      const known = await db
        .selectFrom(table)
        .select(['sender', 'until_ms'])
        .where('receiver', '=', receiver)
        .executeTakeFirst();
      if (known === undefined)
        await db
          .insertInto(table)
          .values({ receiver, seq: await newest(), sender: '', until_ms: 0 })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      else if (known.sender !== replica && Number(known.until_ms) >= now()) return null;
      const row = await ownRow()
        .set(lease())
        .where(({ or, eb }) => or([eb('sender', '=', replica), eb('until_ms', '<', now())]))
        .returning('seq')
        .executeTakeFirst();
      return row === undefined ? null : Number(row.seq);
    },
    sent: async (seq) => {
      const written = await ownRow()
        .set({ ...lease(), seq })
        .where('sender', '=', replica)
        .where('seq', '<', seq)
        .executeTakeFirst();
      return Number(written.numUpdatedRows) === 1;
    },
    leave: async () => {
      await ownRow().set({ until_ms: 0 }).where('sender', '=', replica).execute();
    },
    behind: async () => {
      await store.migrate();
      const sent = await db
        .selectFrom(table)
        .select('seq')
        .where('receiver', '=', receiver)
        .executeTakeFirst();
      return sent === undefined ? 0 : Math.max(0, (await newest()) - Number(sent.seq));
    },
  };
}
