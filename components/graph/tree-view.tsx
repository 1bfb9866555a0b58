'use client';
import { replaceEqualDeep } from '@tanstack/react-query';
import { Fragment, memo, useMemo, useRef, useState } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { Lamp } from '@/components/marks/lamp';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { Button } from '@/components/ui/button';
import { paths } from '@/lib/client/paths';
import { partsOfName } from '@/lib/domain/source';
import { semaphoreName } from '@/lib/domain/subject';
import type { Knot } from '@/lib/domain/waitgraph/knot';
import { type WaitTree, waitTrees } from '@/lib/domain/waitgraph/tree';
import type { Client, WaitGraph } from '@/lib/domain/waitgraph/waitgraph';
import { useClientPath } from './box-view';

/** Names in one line before the rest is only counted. */
const namesMax = 4;
/** Lines of one tree before the rest is shown on demand. */
const linesMax = 60;

/** All trees, deadlocks first. */
export function TreeView({ graph }: { graph: WaitGraph }) {
  const last = useRef<readonly WaitTree[]>([]);
  // An unchanged tree does not render.
  const trees = useMemo(() => {
    last.current = replaceEqualDeep(last.current, waitTrees(graph)) as readonly WaitTree[];
    return last.current;
  }, [graph]);
  return (
    <div className="flex flex-col gap-4">
      {graph.knots.map((knot) => (
        <KnotView key={knot.id} knot={knot} graph={graph} />
      ))}
      <ul className="flex flex-col gap-4">
        {trees.map((tree) => (
          <li key={tree.contested.prefix}>
            <Tree tree={tree} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function KnotView({ knot, graph }: { knot: Knot; graph: WaitGraph }) {
  const { graph: texts } = useAllMessages();
  const clients = new Map(graph.clients.map((client) => [client.id, client]));
  const holdersOf = new Map(graph.contested.map(({ prefix, holders }) => [prefix, holders]));
  const inKnot = new Set(knot.prefixes);
  return (
    <section
      aria-label={texts.knotTitle(knot.clients.length, knot.behind)}
      className="rounded-md border-4 border-danger/70 border-double p-3"
    >
      <h3 className="mb-2 font-semibold text-danger">
        <span aria-hidden="true">▲ </span>
        {texts.knotTitle(knot.clients.length, knot.behind)}
      </h3>
      <ul className="flex flex-col gap-1.5 text-[13px]">
        {knot.clients.flatMap((id) => {
          const client = clients.get(id);
          if (client === undefined) return [];
          const prefixes = client.holds.flatMap((s) =>
            s.kind === 'semaphore' && inKnot.has(semaphoreName(s)) ? semaphoreName(s) : [],
          );
          return (
            <li key={id}>
              <ClientName client={client} /> {texts.member.holds} <Prefixes of={prefixes} />{' '}
              {texts.member.and}{' '}
              {client.wants.map((prefix, i) => (
                <span key={prefix}>
                  {i === 0 ? null : ', '}
                  <Prefixes of={[prefix]} />
                  {texts.member.heldBy}{' '}
                  <Names of={(holdersOf.get(prefix) ?? []).flatMap((other) => clients.get(other) ?? [])} />
                </span>
              ))}
              {client.join.by === 'owner' ? (
                <span className="block text-ink-dim">
                  {texts.joined(client.join.owner, client.sessions.length)}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/**
 * Indents by depth. They are classes, as the page's policy blocks a style in HTML; deeper lines stay at the last one.
 */
const indents = ['', 'pl-3.5', 'pl-7', 'pl-10.5', 'pl-14', 'pl-17.5', 'pl-21', 'pl-24.5', 'pl-28'];

const Tree = memo(function Tree({ tree }: { tree: WaitTree }) {
  const { findingsPage } = useAllMessages();
  const [all, setAll] = useState(false);
  const lines = linesOf(tree);
  const shown = all ? lines : lines.slice(0, linesMax);
  return (
    <>
      <ul className="flex flex-col gap-1.5 text-[13px]">
        {shown.map((line) => (
          <li
            key={
              line.kind === 'passing' ? `${line.prefix} ${line.client.id}` : `${line.kind} ${lineName(line)}`
            }
            className={indents[Math.min(line.depth, indents.length - 1)]}
          >
            <LineView line={line} />
          </li>
        ))}
      </ul>
      {shown.length < lines.length ? (
        <Button tone="quiet" onClick={() => setAll(true)}>
          {findingsPage.showAll(lines.length)}
        </Button>
      ) : null}
    </>
  );
});

const lineName = (line: Exclude<Line, { kind: 'passing' }>) =>
  line.kind === 'root' ? line.tree.contested.prefix : line.prefix;

function LineView({ line }: { line: Line }) {
  const { graph: texts } = useAllMessages();
  if (line.kind === 'waiting')
    return (
      <>
        <Lamp kind="waiting" className="-mb-0.5 mr-1 inline" />
        <span className="text-ink-soft">{texts.waiting(line.clients.length)}: </span>
        <Names of={line.clients} />
      </>
    );
  if (line.kind === 'passing')
    return (
      <>
        <ClientName client={line.client} /> {texts.waitsFor} <Prefixes of={[line.prefix]} />
        {line.holds.length === 0 ? null : (
          <>
            {' '}
            {texts.alsoHolds} <Prefixes of={line.holds} />
          </>
        )}
      </>
    );
  const { contested, holders, blockers } = line.tree;
  return (
    <>
      <Prefixes of={[contested.prefix]} /> {texts.root.heldBy}{' '}
      {holders.length === 0 ? texts.root.nobody : <Names of={holders} />}
      {blockers.length > 0 && blockers.length === holders.length ? (
        <span className="text-ink-soft"> · {texts.root.blocker(blockers.length)}</span>
      ) : null}
      {contested.ghosts === 0 ? null : (
        <span className="text-ink-soft"> · {texts.root.ghosts(contested.ghosts)}</span>
      )}
      {contested.wayOut === null || contested.wayOut === 'ghost' ? null : (
        <span className="text-ink-soft"> · {texts.root.ways[contested.wayOut]}</span>
      )}
    </>
  );
}

function Prefixes({ of }: { of: readonly string[] }) {
  return of.map((row, i) => (
    <Fragment key={row}>
      {i === 0 ? null : ', '}
      <Link
        prefetch={false}
        href={paths.semaphore(partsOfName(row).name, partsOfName(row).source)}
        className="inline-flex max-w-full underline decoration-line-strong underline-offset-3 hover:decoration-brass"
      >
        <Name name={partsOfName(row).name} />
      </Link>
      <SourceBadge className="ml-1.5" source={partsOfName(row).source} />
    </Fragment>
  ));
}

function ClientName({ client }: { client: Client }) {
  const { verdicts } = useAllMessages();
  const pathOf = useClientPath();
  return (
    <Link
      prefetch={false}
      href={pathOf(client)}
      title={client.sessions.map((row) => partsOfName(row).name).join('\n')}
      className="wrap-anywhere font-medium underline decoration-line-strong underline-offset-3 hover:decoration-brass"
    >
      {client.verdict === 'alive' ? null : (
        <Lamp kind={client.verdict} label={verdicts[client.verdict].word} className="-mb-0.5 mr-1 inline" />
      )}
      {client.label}
    </Link>
  );
}

function Names({ of }: { of: readonly Client[] }) {
  const { graph: texts } = useAllMessages();
  const shown = of.length <= namesMax + 1 ? of : of.slice(0, namesMax);
  return (
    <>
      {shown.map((client, i) => (
        <span key={client.id}>
          {i === 0 ? '' : ', '}
          <ClientName client={client} />
        </span>
      ))}
      {shown.length < of.length ? (
        <span className="text-ink-soft"> {texts.more(of.length - shown.length)}</span>
      ) : null}
    </>
  );
}

export type Line =
  | { readonly kind: 'root'; readonly depth: 0; readonly tree: WaitTree }
  | {
      readonly kind: 'waiting';
      readonly depth: number;
      readonly prefix: string;
      readonly clients: readonly Client[];
    }
  | {
      readonly kind: 'passing';
      readonly depth: number;
      readonly prefix: string;
      readonly client: Client;
      /** Its holdings that others wait for, unless named already. */
      readonly holds: readonly string[];
    };

/** Deeper than that there is no room on a phone. */
const depthMax = 5;

/** The lines of one tree, its root first. */
export function linesOf(root: WaitTree): readonly Line[] {
  const lines: Line[] = [{ kind: 'root', depth: 0, tree: root }];
  const todo: (Line | { readonly tree: WaitTree; readonly depth: number })[] = [{ tree: root, depth: 1 }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if ('kind' in next) {
      lines.push(next);
      continue;
    }
    const { depth } = next;
    const { contested, waiting, passing } = next.tree;
    const { prefix } = contested;
    const isLine = passing.length === 1 && waiting.length === 0;
    if (waiting.length > 0) lines.push({ kind: 'waiting', depth, prefix, clients: waiting });
    // The last is taken first.
    for (const { client, below } of [...passing].reverse()) {
      for (const tree of [...below].reverse())
        todo.push({ tree, depth: isLine ? depth : Math.min(depth + 1, depthMax) });
      const holds = below.map((tree) => tree.contested.prefix);
      todo.push({ kind: 'passing', depth, prefix, client, holds });
    }
  }
  return lines;
}
