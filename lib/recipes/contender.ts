/** What our clients write into their contender entries, so that others of ours can queue behind them. */
import { z } from 'zod';

/**
 * One acquire wants `n` slots with `n` sessions: a group, all or nothing. Other clients ignore the value of a contender
 * entry, and ours take one that they cannot read for a foreign contender of one slot.
 */
const noteSchema = z.object({
  v: z.literal(1),
  /** The group's first session. */
  group: z.string(),
  n: z.int().min(1),
  /** Written anew in the same transaction that takes the slots, which wakes the next in the queue. */
  state: z.enum(['waiting', 'holding']),
  /** For people: who this is. */
  owner: z.string(),
  /** Epoch milliseconds at which the acquire began. */
  since: z.number(),
  /** Epoch milliseconds at which the lease ends, for a permit with a lease. */
  leaseUntil: z.number().optional(),
});

export type ContenderNote = z.infer<typeof noteSchema>;

/** `null` for anything that is not ours. Never throws. */
export function readNote(value: Buffer): ContenderNote | null {
  try {
    return noteSchema.safeParse(JSON.parse(value.toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** The value of a contender entry: JSON in UTF-8, which `readNote` gives back. */
export function writeNote(note: ContenderNote): Buffer {
  return Buffer.from(JSON.stringify(note), 'utf8');
}
