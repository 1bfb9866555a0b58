/**
 * Judges a storm on ZooKeeper by the servers' own transaction logs, which name the session that removed each node, and
 * by the reports of Curator's clients. Of Signalbox it knows only the answers that the operator got.
 */
import type { Deed, Hold } from './history';
import type { Txn } from './txn-log';

export interface ZooKeeperHistory {
  readonly txns: readonly Txn[];
  /** `who` is the node. */
  readonly holds: readonly Hold[];
  /** `targets` are the nodes. */
  readonly deeds: readonly Deed[];
  /** The client of each session, past sessions included. */
  readonly clients: ReadonlyMap<string, string>;
  /** Nodes that another program removed on purpose. */
  readonly sabotaged: ReadonlySet<string>;
  /** The most holders at once; absent: one. */
  readonly limits: ReadonlyMap<string, number>;
}

export interface ZooKeeperVerdict {
  readonly wrong: readonly string[];
  /** Nodes that an action removed. */
  readonly removed: number;
  readonly created: number;
  readonly endedWithSession: number;
}

interface Node {
  readonly session: string;
  removed: { readonly txn: Txn; readonly foreign: boolean } | null;
}

/** Two readings of one moment differ by at most this, rounding included. */
const slackMs = 2;
/** A deed's write is sent after its start, and on a machine with one clock it is written before its answer. */
const removes = ({ kind, told }: Deed) => (kind === 'evict' || kind === 'waiter') && told !== 'refused';

export function judgeZooKeeper({
  txns,
  holds,
  deeds,
  clients,
  sabotaged,
  limits,
}: ZooKeeperHistory): ZooKeeperVerdict {
  const wrong: string[] = [];
  const nodes = new Map<string, Node>();
  let [removed, endedWithSession] = [0, 0];
  const aimed = new Map<string, Deed[]>();
  for (const deed of deeds.filter(removes))
    for (const target of deed.targets) aimed.set(target, [...(aimed.get(target) ?? []), deed]);
  const whose = (session: string) => clients.get(session) ?? session;

  for (const txn of txns) {
    if (txn.what === 'create' && txn.isEphemeral)
      nodes.set(txn.path, { session: txn.session, removed: null });
    if (txn.what === 'close')
      for (const node of nodes.values())
        if (node.session === txn.session && node.removed === null) {
          node.removed = { txn, foreign: false };
          endedWithSession += 1;
        }
    const node = txn.what === 'delete' ? nodes.get(txn.path) : undefined;
    if (node === undefined || node.removed !== null) continue;
    const foreign = whose(node.session) !== whose(txn.session);
    node.removed = { txn, foreign };
    if (!foreign || sabotaged.has(txn.path)) continue;
    const by = aimed.get(txn.path) ?? [];
    if (clients.has(txn.session)) wrong.push(`${txn.path} was removed by another client`);
    else if (!by.some(({ fromMs, toMs }) => txn.atMs >= fromMs - slackMs && txn.atMs <= toMs + slackMs))
      wrong.push(`${txn.path} was removed, and no action was to remove it then`);
    else removed += 1;
  }

  for (const { kind, place, targets } of deeds.filter((deed) => removes(deed) && deed.told === 'done'))
    for (const target of targets)
      if (nodes.get(target)?.removed?.foreign !== true)
        wrong.push(`${place}: ${kind} of ${target} was told as done, and did not happen`);

  for (const [path, node] of nodes)
    if (node.removed === null && clients.has(node.session)) wrong.push(`${path} is left`);

  const places = new Map<string, Hold[]>();
  for (const hold of holds) {
    const gone = nodes.get(hold.who)?.removed ?? null;
    if (!nodes.has(hold.who)) wrong.push(`${hold.who} is held, and was never made`);
    const waited = aimed.get(hold.who)?.some(({ kind }) => kind === 'waiter') === true;
    if (waited && gone?.foreign === true && gone.txn.atMs + slackMs < (hold.fromMs ?? 0))
      wrong.push(`${hold.who} was removed as a waiter, and holds`);
    places.set(hold.place, [...(places.get(hold.place) ?? []), hold]);
  }
  for (const [place, all] of places) {
    const open: Hold[] = [];
    for (const hold of all.sort((a, b) => (a.fromMs ?? 0) - (b.fromMs ?? 0))) {
      const fromMs = hold.fromMs ?? 0;
      for (let i = open.length - 1; i >= 0; i -= 1) {
        const one = open[i] as Hold;
        const goneMs = nodes.get(one.who)?.removed?.txn.atMs ?? Number.POSITIVE_INFINITY;
        if (Math.min(one.letMs, goneMs) <= fromMs + slackMs) open.splice(i, 1);
      }
      const goneMs = nodes.get(hold.who)?.removed?.txn.atMs ?? Number.POSITIVE_INFINITY;
      if (goneMs <= fromMs) continue;
      open.push(hold);
      const alone = open.filter(({ shared }) => !shared).length;
      const max = limits.get(place) ?? 1;
      if (limits.has(place) ? open.length > max : alone > 0 && open.length > 1)
        wrong.push(`${place}: ${open.length} hold: ${open.map(({ who }) => who).join(', ')}`);
    }
  }
  return { wrong, removed, created: nodes.size, endedWithSession };
}
