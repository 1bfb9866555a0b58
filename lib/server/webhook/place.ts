/**
 * How far the webhook has got, in the store, so that a restart goes on there. Of several replicas one sends at a time:
 * the one whose turn it is, which it keeps for as long as it renews it.
 */
import type { Store } from '@/lib/server/store/store';

export interface WebhookPlace {
  /** Takes the turn or keeps it. The last row that was sent; `null`: another replica has the turn. */
  take(): Promise<number | null>;
  /** Writes that the row was sent. False: the turn was lost meanwhile. */
  sent(seq: number): Promise<boolean>;
  /** Gives the turn away. */
  leave(): Promise<void>;
  /** Rows that were written and not taken, whoever sends. */
  behind(): Promise<number>;
}

export interface WebhookPlaceOptions {
  readonly store: Store;
  readonly replica: string;
  /** Where to begin when nothing was ever sent: the newest row then, so that history is not sent. */
  readonly newest: () => Promise<number>;
  readonly now: () => number;
}

/** Longer than an attempt may take. A replica that ended without a word is replaced after it. */
export const turnMs = 30_000;
/** There is one webhook. Under another address it goes on where it was. */
const receiver = 'webhook';

export function createWebhookPlace({ store, replica, newest, now }: WebhookPlaceOptions): WebhookPlace {
  const { db } = store;
  const table = 'signalbox_audit_sent';
  const mine = () => db.updateTable(table).where('receiver', '=', receiver);
  const turn = () => ({ sender: replica, until_ms: now() + turnMs });
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
      // Most replicas find here that it is not their turn, and write nothing.
      else if (known.sender !== replica && Number(known.until_ms) >= now()) return null;
      const taken = await mine()
        .set(turn())
        .where(({ or, eb }) => or([eb('sender', '=', replica), eb('until_ms', '<', now())]))
        .returning('seq')
        .executeTakeFirst();
      return taken === undefined ? null : Number(taken.seq);
    },
    sent: async (seq) => {
      const written = await mine()
        .set({ ...turn(), seq })
        .where('sender', '=', replica)
        .where('seq', '<', seq)
        .executeTakeFirst();
      return Number(written.numUpdatedRows) === 1;
    },
    leave: async () => {
      await mine().set({ until_ms: 0 }).where('sender', '=', replica).execute();
    },
    behind: async () => {
      await store.migrate();
      const sent = await db
        .selectFrom(table)
        .select('seq')
        .where('receiver', '=', receiver)
        .executeTakeFirst();
      // Before the first turn nothing is to be sent.
      return sent === undefined ? 0 : Math.max(0, (await newest()) - Number(sent.seq));
    },
  };
}
