/** Follows the roots through every outage, with one recursive watch for each, and a whole read for each new link. */
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '@/lib/domain/model';
import { createNudge } from '@/lib/domain/pace/nudge';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { ZkLine } from '@/lib/providers/zookeeper/client/client';
import { brokeOff, refusedUs } from '@/lib/providers/zookeeper/client/failure';
import type { ZkFacts, ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { isWithin } from '@/lib/providers/zookeeper/client/path';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import type { Bounds } from '@/lib/providers/zookeeper/client/subtree';
import type { Recognised, View } from '@/lib/providers/zookeeper/recognise/recognise';
import { createChanges } from './changes';
import { createFreshness } from './freshness';
import { createLiveTree, type LiveTree } from './live-tree';

export interface WatchOptions {
  readonly settings: ZkSettings;
  readonly line: ZkLine;
  readonly now: () => number;
  readonly facts: {
    current(): ZkFacts;
    /** Calls back at each change, until aborted. */
    follow(onChange: () => void, signal: AbortSignal): Promise<void>;
  };
  recognise(view: View): Recognised;
  readonly bounds?: Bounds;
}

/**
 * The limits of a tree that fits Node's usual heap, at some 500 bytes for each node (`nodeBytes`) and the stored data.
 */
const boundsDefault: Bounds = { nodesMax: 400_000, bytesMax: 384 * 1024 * 1024 };
/**
 * The rest between two looks at changes, at least as long as a look took. A node that changes meanwhile is read once.
 */
const restMinMs = 25;
const restMaxMs = 1_000;
/** Most nodes to read at once. */
const atOnceMax = 256;
/** The rest between two whole reads without watches, and its least multiple of a read's time. */
const pollMinMs = 1_000;
const pollShare = 10;
/**
 * The rest between two whole reads with watches. No event comes for a node that may not be read, so only a list of
 * names shows it.
 */
const rereadMs = 5 * 60_000;
/** The wait after a failed read, while the link stays up. */
const retryMs = 5_000;
/** The wait after a tree that was too large, which costs as much again and seldom shrinks. */
const retryLargeMs = 60_000;
const tickMs = 1_000;

/** Keeps the old object of an unchanged node, so that everything made from it stays valid. */
function keepNodes(before: ZkTree | null, after: Map<string, ZkNode>): Map<string, ZkNode> {
  for (const [path, node] of after) {
    const was = before?.get(path);
    if (was === undefined) continue;
    const { czxid, mzxid, cversion, numChildren } = node.stat;
    if (
      was.stat.czxid === czxid &&
      was.stat.mzxid === mzxid &&
      was.stat.cversion === cversion &&
      was.stat.numChildren === numChildren
    )
      after.set(path, was);
  }
  return after;
}

const isTooMuch = ({ why }: Problem) =>
  why?.code === 'zookeeper-too-much' || why?.code === 'answer-too-large';

/** Resolves when the signal aborts. */
export async function watchZooKeeper(
  { settings, line, now, facts, recognise, bounds = boundsDefault }: WatchOptions,
  listener: ProviderListener,
  signal: AbortSignal,
): Promise<void> {
  const freshness = createFreshness(settings, (source) => listener.source(source));
  const changes = createChanges(bounds.nodesMax);
  const nudge = createNudge();
  /** True for the servers' own nodes. Below a chroot the name is free. */
  const isTheirs = (path: string) => settings.chroot === '' && isWithin('/zookeeper', path);
  /** The number of the connection. Watches of an earlier one are gone. */
  let connection = 0;
  let tree: LiveTree | null = null;
  let continuous = false;
  let againMs: number | null = null;
  let shown: World | null = null;
  let polls = false;
  const hidden = new Set<string>();

  const deaf = line.listen({
    link: (link) => {
      if (link.state === 'up') connection += 1;
      else {
        continuous = false;
        freshness.away(link, line.heardMs());
      }
      nudge.give();
    },
    change: (change) => {
      if (isTheirs(change.path)) return;
      changes.add(change);
      nudge.give();
    },
  });
  /** Changes since the last recognition; `null`: any node may have changed. */
  let touched: Set<string> | null = null;
  let factsChanged = false;
  const factsEnded = facts.follow(() => {
    factsChanged = true;
    nudge.give();
  }, signal);
  signal.addEventListener('abort', nudge.give, { once: true });

  const isUp = (since: number) => connection === since && line.link().state === 'up' && !signal.aborted;

  async function show(asOfMs: number): Promise<void> {
    if (tree === null || signal.aborted) return;
    factsChanged = false;
    const nowMs = now();
    const recognised = recognise({
      tree: tree.nodes,
      facts: facts.current(),
      nowMs,
      hidden,
      continuous: continuous && !polls,
      ...(touched === null ? {} : { changed: touched }),
    });
    touched = new Set();
    continuous = true;
    ({ againMs } = recognised);
    const world: World = { ...recognised.world, scope: hidden.size === 0 ? 'whole' : 'part' };
    const isNews =
      shown === null ||
      shown.locks !== world.locks ||
      shown.semaphores !== world.semaphores ||
      shown.sessions !== world.sessions ||
      shown.scope !== world.scope;
    shown = world;
    if (isNews) await listener.world(world, asOfMs);
  }

  /** Watches before it reads, so that no change is missed. */
  async function readEverything(): Promise<Problem | null> {
    for (const root of polls ? [] : settings.roots) {
      const followed = await line.follow(root, signal);
      if (followed === 'unsupported') {
        // The server closes the connection, and the next one does without watches.
        polls = true;
        return brokeOff;
      }
      if (isProblem(followed)) return followed;
    }
    hidden.clear();
    const nodes = await line.readAll(
      settings.roots,
      { bounds, skips: isTheirs, hidden: (path) => hidden.add(path) },
      signal,
    );
    if (isProblem(nodes)) return nodes;
    if (settings.roots.every((root) => hidden.has(root))) return refusedUs;
    tree = createLiveTree(keepNodes(tree?.nodes ?? null, nodes), bounds);
    touched = null;
    return null;
  }

  /** `all`: the changes cannot be read node by node. */
  async function readChanges(into: LiveTree): Promise<Problem | 'all' | null> {
    const { gone, read, flooded } = changes.take();
    if (flooded) return 'all';
    for (const path of [...gone, ...read]) touched?.add(path);
    for (const path of gone) {
      into.set(path, null);
      hidden.delete(path);
    }
    for (let at = 0; at < read.length; at += atOnceMax) {
      const paths = read.slice(at, at + atOnceMax);
      const nodes = await Promise.all(paths.map((path) => line.read(path, signal)));
      for (const [i, path] of paths.entries()) {
        const node = nodes[i] ?? null;
        const isHidden = isProblem(node) && node.code === 'forbidden';
        if (isProblem(node) && !isHidden) return node;
        into.set(path, isProblem(node) ? null : node);
        if (isHidden) hidden.add(path);
        else hidden.delete(path);
      }
    }
    return into.overfull ? 'all' : null;
  }

  /** Ends when the link does. Returns the problem of a whole read that failed. */
  async function follow(since: number): Promise<Problem | null> {
    let asOfMs = now();
    let pollMs = Number.POSITIVE_INFINITY;
    let everything = true;
    while (isUp(since)) {
      const startMs = now();
      if (everything || startMs >= pollMs) {
        asOfMs = startMs;
        const failed = await readEverything();
        if (failed !== null || !isUp(since)) return failed;
        pollMs = now() + (polls ? Math.max(pollMinMs, (now() - startMs) * pollShare) : rereadMs);
        everything = false;
      }
      const roundMs = now();
      if (changes.any && tree !== null) {
        asOfMs = roundMs;
        const left = await readChanges(tree);
        if (!isUp(since)) return null;
        if (left === 'all') {
          everything = true;
          continue;
        }
        if (left !== null) return left;
      }
      await show(asOfMs);
      freshness.live(line.heardMs());
      contact();
      const restMs = Math.min(Math.max(restMinMs, now() - roundMs), restMaxMs);
      await pause(restMs, undefined, { signal }).catch(() => {});
      while (isUp(since) && !changes.any && !factsChanged && now() < Math.min(pollMs, againMs ?? pollMs)) {
        await nudge.given(tickMs);
        contact();
      }
      if (!changes.any) asOfMs = now();
    }
    return null;
  }

  let publishedMs = 0;
  /** Reports contact. Silence shows before the connection is given up for it. */
  function contact(): void {
    const contactMs = line.heardMs();
    if (contactMs === null || signal.aborted || line.link().state !== 'up') return;
    freshness.heard(contactMs, now());
    if (contactMs - publishedMs < tickMs) return;
    publishedMs = contactMs;
    listener.contact?.(contactMs);
  }

  while (!signal.aborted) {
    const since = connection;
    if (line.link().state !== 'up') {
      await nudge.given(tickMs);
      continue;
    }
    changes.take();
    freshness.reading();
    const failed = await follow(since);
    if (failed === null || signal.aborted) continue;
    // An answer that is too large ends its connection. A new connection would read the same.
    const isLarge = isTooMuch(failed);
    const isWaiting = () => (isLarge ? !signal.aborted : isUp(since));
    const endMs = now() + (isLarge ? retryLargeMs : retryMs);
    continuous = false;
    while (isWaiting() && now() < endMs) {
      if (line.link().state === 'up') freshness.failed(failed, line.heardMs());
      await nudge.given(endMs - now());
    }
  }
  deaf();
  signal.removeEventListener('abort', nudge.give);
  await factsEnded;
}
