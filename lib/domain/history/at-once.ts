/**
 * Facts that many rows of one look have alike, such as the instant at which they began. They share one object: a first
 * world has tens of thousands of rows, and the facts of each would take as much memory as the row.
 */
export class AtOnce<T> {
  private atMs = Number.NaN;
  private readonly made = new Map<string, T>();

  /** `name`: all that differs between two facts of one instant. */
  get(atMs: number, name: string, make: () => T): T {
    if (atMs !== this.atMs) this.made.clear();
    this.atMs = atMs;
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const fact = make();
    this.made.set(name, fact);
    return fact;
  }
}
