/** Requests of a plain client, for the storm. The address is past every proxy. */

export interface Calls {
  put(path: string, body?: string): Promise<string>;
  /** `null`: there is no such key. */
  get(key: string): Promise<{ readonly value: string; readonly index: number } | null>;
  list(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly session: string | null; readonly value: string }[]>;
  remove(key: string): Promise<void>;
  /** Makes a session without a TTL, which lasts until it is destroyed. */
  session(terms: {
    readonly name: string;
    readonly behavior: 'release' | 'delete';
    readonly delay: string;
  }): Promise<string>;
  endSession(id: string): Promise<void>;
}

export function consulCalls(address: string): Calls {
  const call = async (method: string, path: string, body?: string) => {
    const answer = await fetch(`http://${address}/v1/${path}`, {
      method,
      signal: AbortSignal.timeout(10_000),
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return answer.status === 404 ? null : text;
  };
  const put = async (path: string, body = '') => ((await call('PUT', path, body)) ?? '').trim();
  return {
    put,
    async get(key) {
      const text = await call('GET', `kv/${key}`);
      const [row] =
        text === null ? [] : (JSON.parse(text) as { Value: string | null; ModifyIndex: number }[]);
      if (row === undefined) return null;
      return { value: Buffer.from(row.Value ?? '', 'base64').toString(), index: row.ModifyIndex };
    },
    async list(prefix) {
      const text = await call('GET', `kv/${prefix}?recurse`);
      const rows = JSON.parse(text ?? '[]') as { Key: string; Session?: string; Value: string | null }[];
      return rows.map(({ Key, Session, Value }) => ({
        key: Key,
        session: Session ?? null,
        value: Buffer.from(Value ?? '', 'base64').toString(),
      }));
    },
    async remove(key) {
      await call('DELETE', `kv/${key}`);
    },
    async session({ name, behavior, delay }) {
      const terms = { Name: name, Behavior: behavior, LockDelay: delay, Checks: [], NodeChecks: [] };
      return (JSON.parse(await put('session/create', JSON.stringify(terms))) as { ID: string }).ID;
    },
    async endSession(id) {
      await put(`session/destroy/${id}`);
    },
  };
}
