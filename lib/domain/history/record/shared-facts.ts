/**
 * Facts of one instant that many rows have alike, such as when they began. A first world has tens of thousands of rows,
 * and without sharing, these small objects take as much memory as the rows. Nobody may change a shared fact.
 */
export class SharedFacts<T> {
  private atMs = Number.NaN;
  private readonly facts = new Map<string, T>();

  /** `name`: all that differs between two facts of one instant. Only the facts of the last instant are kept. */
  get(atMs: number, name: string, make: () => T): T {
    if (atMs !== this.atMs) this.facts.clear();
    this.atMs = atMs;
    const known = this.facts.get(name);
    if (known !== undefined) return known;
    const fact = make();
    this.facts.set(name, fact);
    return fact;
  }
}
