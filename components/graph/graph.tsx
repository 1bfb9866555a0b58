'use client';
/** The wait-for graph: one sentence, the trees in words, and the drawing. */
import { replaceEqualDeep } from '@tanstack/react-query';
import { memo, useMemo, useRef } from 'react';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { EmptyOld } from '@/components/live/empty-old';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { useSight } from '@/components/live/unproven-absence';
import { Empty } from '@/components/ui/empty';
import { isOld } from '@/lib/client/freshness';
import { useSnapshot } from '@/lib/client/page-data';
import { type WaitGraph, waitGraphOf } from '@/lib/domain/waitgraph/waitgraph';
import { Canvas } from './canvas';
import { TreeView } from './tree-view';

/** Unchanged parts keep their identity, so that hundreds of boxes do not render again. */
function useWaitGraph(): WaitGraph {
  const { locks, semaphores, sessions } = useSnapshot();
  const last = useRef<WaitGraph | null>(null);
  return useMemo(() => {
    last.current = replaceEqualDeep(last.current, waitGraphOf({ locks, semaphores, sessions })) as WaitGraph;
    return last.current;
  }, [locks, semaphores, sessions]);
}

export function Graph() {
  const { graph: texts } = useAllMessages();
  usePageTitle(texts.title);
  const graph = useWaitGraph();
  const isPart = useSnapshot().semaphores.some(({ part }) => part);
  const waiting = graph.clients.filter(({ wants }) => wants.length > 0).length;
  return (
    <>
      <div className="px-4 pt-6 pb-4 sm:px-6">
        <h1 className="sr-only">{texts.title}</h1>
        <p className="max-w-[70ch] text-balance text-[21px] leading-7 tracking-[-0.01em]">
          <AsOf />
          {texts.sentence(waiting, graph.knots.length)}{' '}
          <span className="text-ink-dim">{texts.apart(graph.apart)}</span>
        </p>
        <p className="mt-2 max-w-[85ch] text-[13px] text-ink-dim">
          {texts.limits} {isPart ? texts.part : null}
        </p>
      </div>
      {waiting === 0 ? <Nothing /> : <Both graph={graph} />}
    </>
  );
}

const Both = memo(function Both({ graph }: { graph: WaitGraph }) {
  const { graph: texts } = useAllMessages();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] border-line border-t lg:grid-cols-[minmax(20rem,28rem)_minmax(0,1fr)]">
      <section className="px-4 py-4 sm:px-6">
        <h2 className="mb-3 font-medium text-[13px] text-ink-soft">{texts.words}</h2>
        <TreeView graph={graph} />
      </section>
      <section className="border-line border-t px-4 py-4 sm:px-6 lg:border-t-0 lg:border-l">
        <h2 className="mb-3 font-medium text-[13px] text-ink-soft">{texts.drawing}</h2>
        <Canvas graph={graph} />
      </section>
    </div>
  );
});

function Nothing() {
  const { graph, shell, sight: words, joint } = useAllMessages();
  const sight = useSight();
  const freshness = useFreshness();
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <EmptyOld none={graph.empty.none} />;
  const text = sight === null ? graph.empty.noneText : [words.left, words.needed].join(joint);
  return <Empty title={graph.empty.none} text={text} />;
}
