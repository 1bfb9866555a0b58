/** Writes to a real Consul with the token that may do everything. */
import type { TestConsul } from '@/test/support/consul';

export function callsOf(consul: TestConsul) {
  const call = async (method: string, path: string, body?: string | Buffer): Promise<unknown> => {
    const response = await fetch(`http://${consul.address}/v1/${path}`, {
      method,
      headers: { 'x-consul-token': consul.token ?? '' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const kv = async (key: string, value: string | Buffer, query: string) => {
    if ((await call('PUT', `kv/${key}?${query}`, value)) !== true)
      throw new Error(`${key} was not written: ${query}`);
  };
  return { call, kv };
}
