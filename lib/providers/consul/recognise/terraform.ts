/**
 * Terraform's state lock: `<path>/.lock` is an `api.Lock`, and `<path>/.lockinfo` describes its holder. Authority:
 * hashicorp/terraform, internal/backend/remote-state/consul/client.go (`lockSuffix`, `lockInfoSuffix`) and
 * internal/states/statemgr/locker.go (`LockInfo`).
 */

import type { LeftRecord, Lock } from '@/lib/domain/model';
import { jsonObject, oneLine } from '@/lib/domain/seam/stored-value';
import type { KvRow } from '@/lib/providers/consul/client/wire';

export interface TerraformLock {
  readonly who: string | null;
  /** The time in `Created`, by the clock of the machine that runs Terraform. */
  readonly createdAtMs: number | null;
  readonly details: Lock['details'];
  readonly leftBehind: LeftRecord | null;
}

/** Terraform's own facts are far shorter. */
const factLengthMax = 512;
const fields = ['Who', 'Operation', 'Created', 'Version', 'Path', 'Info'] as const;

/** The key of the lock info; `null` if the lock's key is not named like Terraform's. */
export function lockInfoKey(key: string): string | null {
  return key.endsWith('/.lock') ? `${key}info` : null;
}

/** The key of the lock that a lock info belongs to, or `null`. */
export function lockOfInfo(key: string): string | null {
  return key.endsWith('/.lockinfo') ? key.slice(0, -'info'.length) : null;
}

function writerOf(members: Readonly<Record<string, unknown>>): string | null {
  const info = /^consul session: (\S+)/.exec(typeof members.Info === 'string' ? members.Info : '');
  if (info?.[1] !== undefined) return info[1];
  return typeof members.ID === 'string' && members.ID !== '' ? members.ID : null;
}

/**
 * The lock info; `null` if the row holds none. Facts of an earlier holder are dropped, because an outdated name would
 * send an operator to the wrong person. While the lock is free they count as left behind.
 */
export function readLockInfo(row: KvRow, holder: string | null): TerraformLock | null {
  const members = jsonObject(row.value);
  if (members === null || typeof members.ID !== 'string' || !('Operation' in members || 'Who' in members))
    return null;
  const text = (name: string) => {
    const value = members[name];
    return typeof value === 'string' ? oneLine(value, factLengthMax) || null : null;
  };
  const who = text('Who')?.slice(0, 64) ?? null;
  const created = Date.parse(text('Created') ?? '');
  const createdAtMs = Number.isNaN(created) ? null : created;
  const none = { who: null, createdAtMs: null, details: [] };
  if (holder === null) return { ...none, leftBehind: { key: row.key, who, createdAtMs } };
  if (writerOf(members) !== holder) return { ...none, leftBehind: null };
  return {
    who,
    createdAtMs,
    details: fields.flatMap((name) => {
      const value = text(name);
      return value === null ? [] : [{ name: name.toLowerCase(), value }];
    }),
    leftBehind: null,
  };
}
