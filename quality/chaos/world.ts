/** The other keys: enough locks to read a prefix in parts, some of them held, and none written again. */
import { lockFlags } from './reader';
import { callConsul } from './tokens';

/** Signalbox reads a prefix in parts from 500 rows on. */
export const worldRows = 640;
const opsMax = 64;
const heldEvery = 16;

/** Writes the missing keys of the world. */
export async function furnishWorld(addresses: readonly string[], token: string): Promise<void> {
  const terms = { Name: 'chaos world', Behavior: 'release', LockDelay: '0s', Checks: [], NodeChecks: [] };
  const { ID } = JSON.parse(
    await callConsul(addresses, token, { path: 'session/create', body: JSON.stringify(terms) }),
  ) as { ID: string };
  const keys = Array.from(
    { length: worldRows },
    (_, n) => `world/${String(n % 20).padStart(2, '0')}/${String(n).padStart(4, '0')}`,
  );
  for (let at = 0; at < keys.length; at += opsMax) {
    // Flags of 64 bits do not fit in a JavaScript number.
    const ops = keys
      .slice(at, at + opsMax)
      .map(
        (key) =>
          `{"KV":{"Verb":"set","Key":"${key}","Value":"${Buffer.from(key).toString('base64')}","Flags":${lockFlags}}}`,
      );
    await callConsul(addresses, token, { path: 'txn', body: `[${ops.join(',')}]` });
  }
  for (const key of keys.filter((_, n) => n % heldEvery === 0))
    await callConsul(addresses, token, {
      path: `kv/${key}?acquire=${ID}&flags=${lockFlags}`,
      body: key,
    });
}
