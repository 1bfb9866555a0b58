/** A reader shows a grant in the address: frames, pictures and event streams can send nothing else. */

export interface GrantCredential {
  readonly share: string | null;
  readonly token: string | null;
}

/** A credential given twice is ambiguous, and counts as none. */
export function shownBy(query: URLSearchParams): GrantCredential {
  const one = (name: string) => {
    const all = query.getAll(name);
    return all.length === 1 ? (all[0] ?? null) : null;
  };
  return { share: one('share'), token: one('token') };
}
