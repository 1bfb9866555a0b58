/** The latest of something by id: for some time, and at most a thousand. Adding one costs the same however many there are. */
const most = 1_000;

export class Latest<T> {
  /** In the order in which they were put. */
  private readonly kept = new Map<string, { readonly one: T; readonly atMs: number }>();

  constructor(private readonly keptMs: number) {}

  /** In the place of the one of this id. */
  put(id: string, one: T, atMs: number): void {
    this.kept.delete(id);
    this.kept.set(id, { one, atMs });
    for (const [first, { atMs: thenMs }] of this.kept) {
      if (this.kept.size <= most && thenMs >= atMs - this.keptMs) return;
      this.kept.delete(first);
    }
  }

  get(id: string): T | undefined {
    return this.kept.get(id)?.one;
  }

  all(): readonly T[] {
    return [...this.kept.values()].map(({ one }) => one);
  }
}
