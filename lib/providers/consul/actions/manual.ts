/**
 * Shell commands that do the same without the console, with exact flags and indexes and without a token. `curl` does
 * what the console does; `consul kv` stands beside it where it can. No released `consul` has a command for sessions
 * (hashicorp/consul#13297).
 */

import type { ManualStep, NoteFacts } from '@/lib/domain/actions/plan';
import { addressable } from '@/lib/domain/by-hand/addressable';
import { type Agent, type Command, curl, isLong, joined, quoted } from '@/lib/domain/by-hand/command';
import type { Said } from '@/lib/domain/message';
import { type ConsulSettings, origin } from '@/lib/providers/consul/client/settings';
import { type KvRow, type TxnOp, txnBody, writeJson } from '@/lib/providers/consul/client/wire';

/** curl finds an authority in a directory by its hash, which `c_rehash` makes. */
const authority = {
  CONSUL_CACERT: '--cacert "$CONSUL_CACERT"',
  CONSUL_CAPATH: '--capath "$CONSUL_CAPATH"',
} as const;

/** The agent in use, with the console's settings. */
function agentOf(settings: ConsulSettings): Agent {
  const { tls, token, datacenter } = settings;
  return {
    origin: origin(settings),
    datacenter,
    token: token !== null,
    tls: [
      ...(tls.caFrom === null ? [] : [authority[tls.caFrom]]),
      ...(tls.cert === null ? [] : ['--cert "$CONSUL_CLIENT_CERT"']),
      ...(tls.key === null ? [] : ['--key "$CONSUL_CLIENT_KEY"']),
      ...(tls.verify ? [] : ['-k']),
    ],
  };
}

export function curlDestroy(settings: ConsulSettings, sessionId: string): string {
  return curl(agentOf(settings), { path: `/v1/session/destroy/${encodeURIComponent(sessionId)}`, put: null });
}

/** The console's own transaction, with exact flags and indexes. It works for any key that Consul takes. */
export function curlTxn(settings: ConsulSettings, ops: readonly TxnOp[]): string {
  return curl(agentOf(settings), { path: '/v1/txn', put: writeJson(txnBody(ops)).toString('utf8') });
}

type Note = Said<NoteFacts>;
type Cas = Extract<TxnOp, { readonly verb: 'cas' }>;

const byCurl = (note: Note, command: string): ManualStep => ({ tool: 'curl', note, command });
const byConsul = (note: Note, command: string): ManualStep => ({ tool: 'consul', note, command });

/** `consul kv` reads the token and the certificates from its environment, so only the address is an argument. */
function consulKv(settings: ConsulSettings, args: readonly string[], value: Buffer | null = null): Command {
  const [verb = '', ...rest] = args;
  // Base64, because a plain argument that begins with `@` names a file, and `-` is standard input.
  const text = value?.toString('base64') ?? null;
  const long = text !== null && isLong(text);
  const last = text === null ? [] : [long ? '-' : quoted(text)];
  const place = [`-http-addr=${quoted(origin(settings))}`];
  if (settings.datacenter !== undefined) place.push(`-datacenter=${settings.datacenter}`);
  const line = ['consul kv', verb, ...place, ...rest, ...last].join(' ');
  return { line, input: long ? text : null };
}

function putCas(settings: ConsulSettings, { key, value, flags, index }: Cas): Command {
  const guard = ['-cas', `-modify-index=${index}`, `-flags=${flags}`, '-base64'];
  return consulKv(settings, ['put', ...guard, quoted(key)], value);
}

const deleteCas = (settings: ConsulSettings, key: string, index: string) =>
  consulKv(settings, ['delete', '-cas', `-modify-index=${index}`, quoted(key)]);

export function destruction(settings: ConsulSettings, sessionId: string, note: Note): ManualStep[] {
  return [
    byCurl(note, curlDestroy(settings, sessionId)),
    { tool: 'consul', note: { code: 'no-session-command', facts: {} }, command: null },
  ];
}

export function rewriting(settings: ConsulSettings, ops: readonly TxnOp[], note: Note): ManualStep[] {
  const [op] = ops;
  if (op === undefined) return [];
  const steps = [byCurl(note, curlTxn(settings, ops))];
  if (ops.length === 1 && op.verb === 'cas' && addressable(op.key))
    steps.push(byConsul(note, joined(putCas(settings, op))));
  return steps;
}

/**
 * Frees a slot. `consul kv` has no transaction, so it takes two steps, and the first shows if the second may follow.
 */
export function slotFreeing(settings: ConsulSettings, ops: readonly TxnOp[]): ManualStep[] {
  const curl = byCurl({ code: 'frees-slot', facts: {} }, curlTxn(settings, ops));
  const cas = ops.find((op) => op.verb === 'cas');
  const entry = ops.find((op) => op.verb === 'delete-cas');
  if (cas?.verb !== 'cas' || entry?.verb !== 'delete-cas') return [curl];
  if (!addressable(cas.key) || !addressable(entry.key)) return [curl];
  const command = joined(putCas(settings, cas), deleteCas(settings, entry.key, entry.index));
  return [curl, byConsul({ code: 'in-two-steps', facts: {} }, command)];
}

/** Unlocks one key. `consul kv put -release` compares only the session, not the index. */
export function unlocking(settings: ConsulSettings, ops: readonly TxnOp[], row: KvRow): ManualStep[] {
  const { key, value, flags, session } = row;
  const curl = byCurl({ code: 'unlocks', facts: { key } }, curlTxn(settings, ops));
  if (session === null || !addressable(key)) return [curl];
  const args = ['-release', `-session=${session}`, `-flags=${flags}`, '-base64'];
  const command = consulKv(settings, ['put', ...args, quoted(key)], value);
  return [curl, byConsul({ code: 'unlocks-by-session', facts: { key } }, joined(command))];
}

export function deletion(settings: ConsulSettings, rows: readonly KvRow[], note: Note): ManualStep[] {
  const ops = rows.map(({ key, modifyIndex }): TxnOp => ({ verb: 'delete-cas', key, index: modifyIndex }));
  const steps = [byCurl(note, curlTxn(settings, ops))];
  const [row] = rows;
  if (rows.length === 1 && row !== undefined && addressable(row.key))
    steps.push(byConsul(note, joined(deleteCas(settings, row.key, row.modifyIndex))));
  return steps;
}
