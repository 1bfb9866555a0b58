/** The latest items by id, for some time, at most a thousand. Adding one costs the same at any size. */
const most = 1_000;

export class Latest<T> {
  private readonly kept = new Map<string, { readonly one: T; readonly atMs: number }>();

  constructor(private readonly keptMs: number) {}

  /** Replaces the item of this id. */
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
