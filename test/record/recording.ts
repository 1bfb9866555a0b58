/**
 * Recording what a real Consul says: raw rows of its HTTP API, with the session ids replaced by fixed ones so that
 * a fixture can be read and compared. `shapeOf` is what two recordings of one scenario have in common.
 */
import { readJson } from '@/lib/providers/consul/client/wire';

/** As the HTTP API prints them; only `Flags` is text, because a JSON number would round the large ones. */
export interface RawRow {
  readonly Key: string;
  readonly Value: string | null;
  readonly Flags: string;
  readonly Session?: string;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
  readonly LockIndex: number;
}
export interface RawSession {
  readonly ID: string;
  readonly Name: string;
  readonly Node: string;
  readonly TTL: string;
  readonly Behavior: string;
  readonly LockDelay: number;
  readonly NodeChecks: readonly string[] | null;
  readonly ServiceChecks: readonly { readonly ID: string }[] | null;
  readonly CreateIndex: number;
}
export interface RawCheck {
  readonly Node: string;
  readonly CheckID: string;
  readonly Name: string;
  readonly Status: string;
}

export interface Recording {
  readonly rows: readonly RawRow[];
  readonly sessions: readonly RawSession[];
  readonly checks: readonly RawCheck[];
  readonly nodes: readonly string[];
}

async function raw<T>(address: string, path: string): Promise<T[]> {
  const response = await fetch(`http://${address}/v1/${path}`);
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (readJson(Buffer.from(await response.arrayBuffer())) as T[] | null) ?? [];
}

/** Reads all of it. `before`: ids of sessions that were there already and are left out. */
export async function record(
  address: string,
  prefixes: readonly string[],
  before: ReadonlySet<string>,
): Promise<Recording> {
  const rows = await raw<RawRow>(address, 'kv/?recurse');
  const sessions = await raw<RawSession>(address, 'session/list');
  const checks = await raw<RawCheck>(address, 'health/state/any');
  const nodes = await raw<{ Node: string }>(address, 'catalog/nodes');
  return {
    rows: rows
      .filter((row) => prefixes.some((prefix) => row.Key.startsWith(prefix)))
      .map((row) => ({ ...row, Flags: String(row.Flags) })),
    sessions: sessions.filter((session) => !before.has(session.ID)),
    checks: checks.map(({ Node, CheckID, Name, Status }) => ({ Node, CheckID, Name, Status })),
    nodes: nodes.map((node) => node.Node),
  };
}

/** The fixed id of the n-th session of a scenario. */
export const fixedId = (n: number) =>
  `${n.toString(16).padStart(8, 'a')}-0000-4000-8000-00000000000${n % 10}`;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Replaces every session id by a fixed one: those in `known` first, in their order, then as they are met. */
export function withFixedIds(recording: Recording, known: readonly string[]): Recording {
  const fixed = new Map<string, string>();
  const meet = (id: string) => {
    const seen = fixed.get(id);
    if (seen !== undefined) return seen;
    const next = fixedId(fixed.size + 1);
    fixed.set(id, next);
    return next;
  };
  for (const id of known) meet(id);
  const inText = (text: string) => text.replace(uuid, (id) => meet(id.toLowerCase()));
  const rows = [...recording.rows]
    .sort((a, b) => a.CreateIndex - b.CreateIndex)
    .map((row) => ({
      ...row,
      Key: inText(row.Key),
      Value:
        row.Value === null
          ? null
          : Buffer.from(inText(Buffer.from(row.Value, 'base64').toString('latin1')), 'latin1').toString(
              'base64',
            ),
      ...(row.Session === undefined ? {} : { Session: meet(row.Session) }),
    }))
    .sort((a, b) => (a.Key < b.Key ? -1 : 1));
  const sessions = [...recording.sessions]
    .sort((a, b) => a.CreateIndex - b.CreateIndex)
    .map((session) => ({ ...session, ID: meet(session.ID) }));
  return { ...recording, rows, sessions };
}

/** Equal each time: everything but indexes, the order of ids, and times inside values. */
export function shapeOf(recording: Recording) {
  const anonymous = (text: string) =>
    text.replace(uuid, '<session>').replace(/\d{4}-\d\d-\d\dT[\d:.]+/g, '<time>');
  return {
    rows: recording.rows
      .map((row) => ({
        key: anonymous(row.Key),
        // A map of holders is printed in the order of its ids, so ids alone never distinguish two recordings.
        value: row.Value === null ? null : anonymous(Buffer.from(row.Value, 'base64').toString('latin1')),
        flags: row.Flags,
        locked: row.Session !== undefined,
        acquired: row.LockIndex > 0,
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    sessions: recording.sessions
      .map(({ Name, TTL, Behavior, LockDelay, NodeChecks, ServiceChecks }) => ({
        Name,
        TTL,
        Behavior,
        LockDelay,
        NodeChecks,
        ServiceChecks,
      }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}
