'use client';
import { useState } from 'react';
import { ActionButton } from '@/components/actions/action-button';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import { saysId } from '@/components/marks/session-id';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import { useSnapshot } from '@/lib/client/page-data';
import { paths } from '@/lib/client/paths';
import type { Action } from '@/lib/domain/actions/action';
import { shortId, type Waiter } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { sinceWords } from '@/lib/i18n/sentences';
import { actionWords } from '@/lib/view/actions/button-words';

/** A herd of thousands must not slow the page. */
const firstMax = 100;

/** Beyond so many, only the dead have a button: each asks whether one may. */
const buttonsMax = 20;

interface WaitersProps {
  readonly waiters: readonly Waiter[];
  readonly source: SourceId;
  /** False where waiters have no session, so no page and no node. */
  readonly bySession?: boolean;
  /** Takes one out of the queue; absent where none can be. */
  readonly removal?: (waiter: Waiter) => Action;
}

export function Waiters({ waiters, source, bySession = true, removal }: WaitersProps) {
  const { subject } = useAllMessages();
  const [all, setAll] = useState(false);
  const shown = all ? waiters : waiters.slice(0, firstMax);
  const head = 'border-line border-b px-2 py-1 font-normal text-[12px] text-ink-dim first:pl-0';
  return (
    <div className="flex flex-col items-start gap-3">
      <table className="w-full table-fixed text-[13px]">
        <thead>
          <tr className="text-left">
            <th scope="col" className={`${head} w-9 text-right`}>
              {subject.waitersHead.order}
            </th>
            <th scope="col" className={head}>
              {subject.waitersHead.who}
            </th>
            {bySession ? (
              <th scope="col" className={`${head} hidden sm:table-cell sm:w-[18%]`}>
                {subject.waitersHead.node}
              </th>
            ) : null}
            <th
              scope="col"
              className={`${head} w-28 lg:w-44 ${removal === undefined ? '' : 'hidden sm:table-cell'}`}
            >
              {subject.waitersHead.since}
            </th>
            <th scope="col" className={`${head} md:w-40 ${bySession ? 'hidden md:table-cell' : 'w-20'}`}>
              {bySession ? subject.waitersHead.state : subject.holding.state}
            </th>
            {bySession ? (
              <th scope="col" className={`${head} hidden text-right lg:table-cell lg:w-32`}>
                {subject.waitersHead.index}
              </th>
            ) : null}
            {removal === undefined ? null : (
              <th scope="col" className={`${head} w-28`}>
                <span className="sr-only">{subject.holding.remove}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((waiter, place) => (
            <WaiterRow
              key={waiter.sessionId}
              waiter={waiter}
              source={source}
              place={place + 1}
              bySession={bySession}
              removal={
                removal !== undefined && (waiters.length <= buttonsMax || waiter.verdict === 'ghost')
                  ? removal(waiter)
                  : null
              }
              hasRoom={removal !== undefined}
            />
          ))}
        </tbody>
      </table>
      {waiters.length > shown.length ? (
        <Button onClick={() => setAll(true)}>{subject.showAll(waiters.length)}</Button>
      ) : null}
    </div>
  );
}

interface WaiterRowProps {
  readonly waiter: Waiter;
  readonly source: SourceId;
  readonly place: number;
  readonly bySession: boolean;
  readonly removal: Action | null;
  /** Others of the table have a button. */
  readonly hasRoom: boolean;
}

function WaiterRow({ waiter, source, place, bySession, removal, hasRoom }: WaiterRowProps) {
  const m = useAllMessages();
  const since = sinceWords(waiter.since, { nowMs: useNow(), zone: useZone() }, m);
  const left = waiter.evidence.find(({ code }) => code === 'limit-changed-while-waiting');
  const cell = 'h-9 border-line border-b px-2 align-middle first:pl-0';
  return (
    <tr>
      <td className={`${cell} text-right text-ink-dim`}>{place}</td>
      <td className={cell}>
        <span className="flex min-w-0 items-center gap-2">
          <Lamp kind={waiter.verdict === 'ghost' ? 'ghost' : 'waiting'} size={12} />
          {bySession ? (
            <Link
              href={paths.session(waiter.sessionId, source)}
              title={waiter.sessionId}
              className="truncate underline decoration-line-strong underline-offset-3 hover:text-brass-strong hover:decoration-brass max-md:py-[12px]"
            >
              {waiter.label}
            </Link>
          ) : (
            <span className="truncate" title={waiter.sessionId}>
              {waiter.label}
            </span>
          )}
          {waiter.mode === undefined ? null : (
            <span className="shrink-0 text-ink-soft">{m.subject.holding.modes[waiter.mode]}</span>
          )}
          {saysId(waiter) ? null : (
            <span className="hidden font-mono text-ink-dim sm:inline">{shortId(waiter.sessionId)}</span>
          )}
          <Copy
            text={waiter.sessionId}
            label={m.shell.copy.label(waiter.sessionId)}
            done={m.shell.copy.done}
          />
        </span>
        {left === undefined ? null : (
          <span className="block pt-0.5 pb-1.5 pl-5 text-[12px] text-caution leading-4">
            {m.subject.leftWaiting(left.detail)}
          </span>
        )}
      </td>
      {bySession ? (
        <td className={`${cell} hidden truncate text-ink-soft sm:table-cell`}>
          {waiter.session?.node ?? '–'}
        </td>
      ) : null}
      <td
        className={`${cell} whitespace-nowrap text-ink-soft ${hasRoom ? 'hidden sm:table-cell' : ''}`}
        title={since?.basis}
      >
        {since?.short ?? m.since.unknown}
        {since?.age == null ? null : <span className="hidden text-ink-dim lg:inline"> · {since.age}</span>}
      </td>
      <td className={`${cell} text-ink-soft ${bySession ? 'hidden md:table-cell' : ''}`}>
        <span className="inline-flex items-center gap-1.5">
          {bySession ? <Lamp kind={waiter.verdict} size={12} /> : null}
          {m.verdicts[waiter.verdict].word}
        </span>
      </td>
      {bySession ? (
        <td className={`${cell} hidden text-right font-mono text-ink-dim lg:table-cell`}>
          {waiter.arrivedIndex}
        </td>
      ) : null}
      {hasRoom ? (
        <td className={`${cell} text-right`}>
          {removal === null ? null : <RemoveButton action={removal} isDead={waiter.verdict === 'ghost'} />}
        </td>
      ) : null}
    </tr>
  );
}

/** The button's text is short, beside the name. The full text is read aloud, and is its title. */
function RemoveButton({ action, isDead }: { action: Action; isDead: boolean }) {
  const m = useAllMessages();
  const { label, name } = actionWords(action, useSnapshot(), m);
  return (
    <ActionButton
      action={action}
      text={m.subject.holding.remove}
      whole={m.action.titles[action.type](label, name)}
      spoken={[m.subject.holding.remove, label].join(' · ')}
      tone={isDead ? 'danger' : 'plain'}
      label={label}
      name={name}
    />
  );
}
