import type { Since } from '@/lib/domain/model';
import type { Steps } from '@/lib/domain/sliced-work';
import { noted, type RowLists, rowAt } from '@/lib/providers/consul/rows/changed-rows';

export interface RecordedSlots {
  readonly holders: ReadonlyMap<string, Since>;
  /** Set for an entry with Go's flags and shape, whose clients give up when it changes; else `null`. */
  readonly limit: number | null;
}

interface Missing {
  readonly list: RowLists;
  readonly slots: ReadonlyMap<string, RecordedSlots>;
  readonly missed: Map<string, string>;
}

/** Updates `missed` after an entry is gone. The name of a false holder may contain slashes. */
export function missEntry({ slots, missed }: Missing, key: string): void {
  for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
    const prefix = key.slice(0, slash);
    if (slots.get(prefix)?.holders.has(key.slice(slash + 1)) === true) missed.set(key, prefix);
  }
}

export function* missHolders(
  { list, missed }: Missing,
  prefix: string,
  before: RecordedSlots | undefined,
  now: RecordedSlots | null,
): Steps<void> {
  for (const id of before?.holders.keys() ?? []) {
    missed.delete(`${prefix}/${id}`);
    yield noted;
  }
  for (const id of now?.holders.keys() ?? []) {
    const key = `${prefix}/${id}`;
    if (rowAt(list, key) === undefined) missed.set(key, prefix);
    yield noted;
  }
}
