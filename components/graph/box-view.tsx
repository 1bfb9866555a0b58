'use client';
import { clsx } from 'clsx';
import { memo } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { stateOf, useSourceTitle } from '@/components/live/sources';
import { lampColours, lampShapes } from '@/components/marks/lamp';
import { useSnapshotPart } from '@/lib/client/page-data';
import { paths, subjectPath } from '@/lib/client/paths';
import { hasSessions } from '@/lib/domain/capabilities';
import { partsOfName } from '@/lib/domain/source';
import { semaphoreName } from '@/lib/domain/subject';
import { type Client, doubtsAmong } from '@/lib/domain/waitgraph/waitgraph';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { LampKind } from '@/lib/view/board-rows';
import type { Box } from './drawing';
import { boxSize } from './places';

const { width, height } = boxSize;

interface BoxProps {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  /** The box is gone, and the drawing keeps its place for it. */
  readonly gone: boolean;
}

/** Most characters in the fonts used. The link's name is the whole text. */
const charsMax = { strong: 24, plain: 30 } as const;
const short = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, Math.ceil(max / 2) - 1)}…${text.slice(-Math.floor(max / 2))}`;

/** Whole names only: half a name may be another client's. */
export function shortList(names: readonly string[], max: number, more: (n: number) => string): string {
  const all = names.join(', ');
  if (all.length <= max) return all;
  for (let n = names.length - 1; n > 0; n -= 1) {
    const some = `${names.slice(0, n).join(', ')} ${more(names.length - n)}`;
    if (some.length <= max) return some;
  }
  const rest = names.length > 1 ? ` ${more(names.length - 1)}` : '';
  return `${short(names[0] ?? '', max - rest.length)}${rest}`;
}

/** The end of a path matters most. */
const ending = (text: string, max: number) => (text.length <= max ? text : `…${text.slice(1 - max)}`);

interface Texts {
  readonly strong: string;
  readonly plain: string;
  /** The drawn text, where not the middle is left out. */
  readonly drawn?: { readonly strong: string; readonly plain: string };
  readonly href: string;
}

const selectSource = ({ source }: Snapshot) => source;

/** The page of a client's first session, or where its source has none, of a subject that it waits for or holds. */
export function useClientPath(): (client: Client) => string {
  const state = useSnapshotPart(selectSource);
  return ({ id, sessions, wants, holds }) => {
    const { source, name } = partsOfName(sessions[0] ?? id);
    const [subject] = holds;
    const wanted = wants[0] === undefined ? null : partsOfName(wants[0]);
    if (hasSessions(stateOf(state, source).provider)) return paths.session(name, source);
    if (wanted !== null) return paths.semaphore(wanted.name, wanted.source);
    return subject === undefined ? paths.session(name, source) : subjectPath(subject);
  };
}

function useTexts(box: Box): Texts {
  const { graph, verdicts, lampWords } = useAllMessages();
  const { kind, contested, clients } = box;
  const { source, name } = partsOfName(box.name);
  const title = useSourceTitle()(source);
  const pathOf = useClientPath();
  const among = title === null ? '' : `${title} · `;
  const [first] = clients;
  if (kind === 'lock')
    return { strong: name, plain: `${among}${graph.box.lock}`, href: paths.lock(name, source) };
  if (kind === 'ghosts')
    return {
      strong: graph.box.ghosts(contested?.ghosts ?? 0),
      plain: graph.box.ghostsTake(contested?.ghosts ?? 0),
      href: paths.semaphore(name, source),
    };
  if (kind === 'semaphore' || first === undefined)
    return {
      strong: name,
      plain: `${among}${graph.box.slots(contested?.limit ?? null)} · ${graph.box.wait(contested?.waiters.length ?? 0)}`,
      href: paths.semaphore(name, source),
    };
  const labels = clients.map(({ label }) => label);
  const names = labels.join(', ');
  if (clients.length === 1)
    return {
      strong: names,
      plain: kind === 'waiting' ? lampWords.waiting.word : verdicts[first.verdict].word,
      href: pathOf(first),
    };
  const [wanted] = first.wants;
  const subject = first.holds.find((one) => one.kind === 'semaphore');
  const row = partsOfName(wanted ?? (subject?.kind === 'semaphore' ? semaphoreName(subject) : ''));
  const count = kind === 'waiting' ? graph.box.wait(clients.length) : graph.box.hold(clients.length);
  const doubts =
    kind === 'waiting' ? [] : doubtsIn(box).map(([verdict, n]) => `${n} ${verdicts[verdict].word}`);
  return {
    strong: [count, ...doubts].join(' · '),
    plain: names,
    drawn: {
      strong: [count, ...doubts.slice(0, 1)].join(' · '),
      plain: shortList(labels, charsMax.plain, graph.more),
    },
    href: paths.semaphore(row.name, row.source),
  };
}

const doubtsIn = ({ clients }: Box) => doubtsAmong(clients.map(({ verdict }) => verdict));

/** The worst lamp of several. The first one's lamp could hide it. */
export function lampOf(box: Box): LampKind {
  if (box.kind === 'ghosts' || box.kind === 'waiting') return box.kind === 'ghosts' ? 'ghost' : 'waiting';
  return doubtsIn(box)[0]?.[0] ?? (box.clients.length > 0 ? 'alive' : 'unknown');
}

/** There may be hundreds, and something changes every second. */
export const BoxView = memo(function BoxView({ box, x, y, gone }: BoxProps) {
  const { graph } = useAllMessages();
  const { strong, plain, drawn, href } = useTexts(box);
  const thing = box.kind === 'semaphore' || box.kind === 'lock';
  const cut = thing ? ending : short;
  const lamp = thing ? null : lampOf(box);
  const spoken = [strong, plain, ...(box.inKnot ? [graph.knot] : [])].join(' · ');
  return (
    <Link href={href} prefetch={false} className={clsx('group outline-none', gone && 'opacity-40')}>
      <title>{spoken}</title>
      {/* The title has the whole text. */}
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group in a drawing takes no focus; the link around it does. */}
      <g aria-hidden="true" transform={`translate(${x - width / 2} ${y - height / 2})`}>
        <rect
          width={width}
          height={height}
          rx={thing ? 3 : height / 2}
          strokeWidth={box.inKnot ? 2.5 : 1}
          className={clsx(
            'fill-raised group-hover:stroke-brass group-focus-visible:stroke-brass group-focus-visible:[stroke-width:3]',
            box.inKnot ? 'stroke-danger' : 'stroke-line-strong',
          )}
        />
        {box.inKnot ? (
          <>
            <rect
              x={4}
              y={4}
              width={width - 8}
              height={height - 8}
              rx={thing ? 2 : height / 2 - 4}
              fill="none"
              className="stroke-danger"
            />
            <text
              x={width / 2}
              y={-4}
              textAnchor="middle"
              fontSize="11"
              className="fill-danger font-semibold"
            >
              {graph.knot}
            </text>
          </>
        ) : null}
        {lamp === null ? null : (
          <svg
            x={18}
            y={13}
            width={13}
            height={13}
            viewBox="0 0 16 16"
            aria-hidden="true"
            className={lampColours[lamp]}
          >
            {lampShapes[lamp]}
          </svg>
        )}
        <text
          x={thing ? 12 : 36}
          y={24}
          fontSize="13"
          className={clsx('fill-ink font-semibold', thing && 'font-mono')}
        >
          {drawn?.strong ?? cut(strong, charsMax.strong)}
        </text>
        <text x={thing ? 12 : 36} y={42} fontSize="11.5" className="fill-ink-soft">
          {drawn?.plain ?? short(plain, charsMax.plain)}
        </text>
      </g>
    </Link>
  );
});
