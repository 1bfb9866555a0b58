/** Rows of one kind in code unit order of their names, changed in place of being sorted anew where little has changed. */

export interface RowList<R> {
  readonly changed: boolean;
  set(name: string, row: R): void;
  delete(name: string): void;
  /** The same list while nothing has changed. */
  rows(): readonly R[];
}

/** With more news than this share of it, all of it is sorted. */
const newsShare = 8;

export function createRowList<R>(): RowList<R> {
  const kept = new Map<string, R>();
  const news = new Set<string>();
  let names: string[] = [];
  let rows: readonly R[] = [];

  /** Where a name stands, or would stand. */
  function placeOf(name: string): number {
    let [from, to] = [0, names.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((names[middle] ?? '') < name) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  function patched(): readonly R[] {
    const next = [...rows];
    for (const name of news) {
      const row = kept.get(name);
      const place = placeOf(name);
      const isThere = names[place] === name;
      if (row === undefined) {
        if (!isThere) continue;
        names.splice(place, 1);
        next.splice(place, 1);
      } else if (isThere) next[place] = row;
      else {
        names.splice(place, 0, name);
        next.splice(place, 0, row);
      }
    }
    return next;
  }

  function sorted(): readonly R[] {
    const all = [...kept].sort(([a], [b]) => (a < b ? -1 : 1));
    names = all.map(([name]) => name);
    return all.map(([, row]) => row);
  }

  return {
    get changed() {
      return news.size > 0;
    },
    set: (name, row) => {
      kept.set(name, row);
      news.add(name);
    },
    delete: (name) => {
      if (kept.delete(name)) news.add(name);
    },
    rows: () => {
      if (news.size > 0) rows = news.size * newsShare > kept.size ? sorted() : patched();
      news.clear();
      return rows;
    },
  };
}
