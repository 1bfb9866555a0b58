/** Plain clients of a semaphore, which take and leave slots in every known way. */
import type { Chance } from '@/quality/chaos/chance';
import type { Calls } from './consul-calls';

const flags = '16210313421097356768';
const tries = 20;

interface Slot {
  readonly prefix: string;
  readonly limit: number;
}

const entryOf = (prefix: string, id: string) => `${prefix}/${id}`;
const recordOf = (prefix: string) => `${prefix}/.lock`;

/** Changes the holders of a record by check-and-set; `null` leaves them. Makes a missing or unreadable record. */
async function change(
  calls: Calls,
  { prefix, limit }: Slot,
  next: (holders: readonly string[]) => readonly string[] | null,
): Promise<boolean> {
  for (let n = 0; n < tries; n += 1) {
    const entry = await calls.get(recordOf(prefix));
    let holders: readonly string[] = [];
    try {
      holders = Object.keys((JSON.parse(entry?.value ?? '{}') as { Holders?: object | null }).Holders ?? {});
    } catch {
      // The storm spoiled the record, so it is made again.
    }
    const after = next(holders);
    if (after === null) return false;
    const record = { Limit: limit, Holders: Object.fromEntries(after.map((id) => [id, true])) };
    const path = `kv/${recordOf(prefix)}?flags=${flags}&cas=${entry?.index ?? 0}`;
    if ((await calls.put(path, JSON.stringify(record))) === 'true') return true;
  }
  return false;
}

/** Takes a slot, and prunes holders without an entry, as Go's clients do. */
async function takeSlot(calls: Calls, slot: Slot, id: string, isAlive: (id: string) => Promise<boolean>) {
  const dead = new Set<string>();
  const seen = await calls.get(recordOf(slot.prefix));
  for (const holder of seen === null ? [] : (seen.value.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []))
    if (!(await isAlive(holder))) dead.add(holder);
  return change(calls, slot, (holders) => {
    const living = holders.filter((one) => !dead.has(one));
    if (living.includes(id)) return null;
    return living.length >= slot.limit ? null : [...living, id];
  });
}

export const leaveSlot = (calls: Calls, slot: Slot, id: string) =>
  change(calls, slot, (holders) => (holders.includes(id) ? holders.filter((one) => one !== id) : null));

/** Runs one client until `signal`. */
export async function contend({
  calls,
  slot,
  chance,
  rest,
  signal,
}: {
  calls: Calls;
  slot: Slot;
  chance: Chance;
  rest: (ms: number) => Promise<unknown>;
  signal: AbortSignal;
}): Promise<void> {
  const isAlive = async (id: string) => (await calls.get(entryOf(slot.prefix, id))) !== null;
  while (!signal.aborted) {
    const behavior = chance() < 0.7 ? 'delete' : 'release';
    const id = await calls.session({ name: `storm slot ${slot.prefix}`, behavior, delay: '0s' });
    const entry = entryOf(slot.prefix, id);
    await calls.put(`kv/${entry}?acquire=${id}&flags=${flags}`, '');
    let turns = chance() < 0.4 ? 3 : 1;
    while (turns > 0 && !signal.aborted) {
      // Evicted, or its session was ended, so it begins again.
      if (!(await isAlive(id))) break;
      if (!(await takeSlot(calls, slot, id, isAlive))) {
        await rest(150 + chance() * 200);
        continue;
      }
      await rest(200 + chance() * 4_000);
      turns -= 1;
      // Lets go, and waits again under the same session.
      if (turns > 0) {
        await leaveSlot(calls, slot, id);
        await rest(chance() * 5_000);
      }
    }
    const way = chance();
    if (way < 0.5) await leaveSlot(calls, slot, id);
    // A crash ends only the session.
    if (way < 0.8) await calls.remove(entry);
    if (way >= 0.5 && way < 0.8) await leaveSlot(calls, slot, id);
    // Most continue for a while, so that this end does not look like the session's.
    if (way < 0.8 && chance() < 0.7) await rest(1_000 + chance() * 2_000);
    await calls.endSession(id);
    await rest(chance() * 1_000);
  }
}

/** Breaks the record under its holders, now and then. The next client makes it again. */
export async function spoil({
  calls,
  slot,
  chance,
  rest,
  signal,
}: Parameters<typeof contend>[0]): Promise<void> {
  while (!signal.aborted) {
    await rest(8_000 + chance() * 8_000);
    if (signal.aborted) return;
    const way = chance();
    const empty = JSON.stringify({ Limit: slot.limit, Holders: {} });
    if (way < 0.3) await calls.remove(recordOf(slot.prefix));
    else if (way < 0.5) await calls.put(`kv/${recordOf(slot.prefix)}`, empty);
    else if (way < 0.7) await calls.put(`kv/${recordOf(slot.prefix)}?flags=${flags}`, 'no record');
    else await calls.put(`kv/${recordOf(slot.prefix)}?flags=${flags}`, empty);
  }
}
