/** The names to read, and when. The earliest comes first, each name once. */

interface Entry {
  readonly name: string;
  readonly dueMs: number;
}

export interface Agenda {
  /** Entries in the heap, outdated ones included; at most about twice the names. */
  readonly kept: number;
  /** Reads the name at this time at the latest. */
  at(name: string, dueMs: number): void;
  /** The due names, the earliest first. */
  take(nowMs: number, max: number): readonly string[];
  /** The next due time; `Infinity`: none. */
  nextMs(): number;
}

const spareMax = 1_000;

export function createAgenda(): Agenda {
  /** A binary heap. An entry whose time is not the one in `due` is outdated. */
  let heap: Entry[] = [];
  const due = new Map<string, number>();

  const before = (a: number, b: number) => (heap[a]?.dueMs ?? 0) < (heap[b]?.dueMs ?? 0);
  const swap = (a: number, b: number) => {
    const [one, other] = [heap[a], heap[b]];
    if (one === undefined || other === undefined) return;
    heap[a] = other;
    heap[b] = one;
  };
  function push(entry: Entry): void {
    // A name that changes often leaves an outdated entry each time.
    if (heap.length > 2 * due.size + spareMax) {
      heap = [...due].map(([name, dueMs]) => ({ name, dueMs })).sort((a, b) => a.dueMs - b.dueMs);
      return;
    }
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }
  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = left + 1 < heap.length && before(left + 1, left) ? left + 1 : left;
      if (child >= heap.length || !before(child, at)) return;
      swap(child, at);
      at = child;
    }
  }
  /** The first entry that is not outdated. */
  function first(): Entry | null {
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      if (due.get(top.name) === top.dueMs) return top;
      pop();
    }
    return null;
  }

  return {
    get kept() {
      return heap.length;
    },
    at: (name, dueMs) => {
      const known = due.get(name);
      if (known !== undefined && known <= dueMs) return;
      due.set(name, dueMs);
      push({ name, dueMs });
    },
    take: (nowMs, max) => {
      const taken: string[] = [];
      for (let top = first(); top !== null && top.dueMs <= nowMs && taken.length < max; top = first()) {
        taken.push(top.name);
        due.delete(top.name);
        pop();
      }
      return taken;
    },
    nextMs: () => first()?.dueMs ?? Number.POSITIVE_INFINITY,
  };
}
