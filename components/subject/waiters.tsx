'use client';
import { useState } from 'react';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import { saysId } from '@/components/marks/session-id';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import { paths } from '@/lib/client/paths';
import { shortId, type Waiter } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { sinceWords } from '@/lib/i18n/sentences';

/** A herd of thousands must not slow the page. */
const firstMax = 100;

/** `bySession`: false where waiters have no session, so no page, node or verdict. */
export function Waiters({
  waiters,
  source,
  bySession = true,
}: {
  waiters: readonly Waiter[];
  source: SourceId;
  bySession?: boolean;
}) {
  const { subject } = useMessages();
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
            <th scope="col" className={`${head} w-28 lg:w-44`}>
              {subject.waitersHead.since}
            </th>
            {bySession ? (
              <>
                <th scope="col" className={`${head} hidden md:table-cell md:w-40`}>
                  {subject.waitersHead.state}
                </th>
                <th scope="col" className={`${head} hidden text-right lg:table-cell lg:w-32`}>
                  {subject.waitersHead.index}
                </th>
              </>
            ) : null}
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
}

function WaiterRow({ waiter, source, place, bySession }: WaiterRowProps) {
  const m = useMessages();
  const since = sinceWords(waiter.since, { nowMs: useNow(), zone: useZone() }, m);
  const left = waiter.evidence.find(({ code }) => code === 'limit-changed-while-waiting');
  const cell = 'h-9 border-line border-b px-2 align-middle first:pl-0';
  return (
    <tr>
      <td className={`${cell} text-right text-ink-dim`}>{place}</td>
      <td className={cell}>
        <span className="flex min-w-0 items-center gap-2">
          <Lamp kind="waiting" size={12} />
          {bySession ? (
            <Link
              href={paths.session(waiter.sessionId, source)}
              title={waiter.sessionId}
              className="truncate underline decoration-line-strong underline-offset-3 hover:text-brass-strong hover:decoration-brass max-md:py-3"
            >
              {waiter.label}
            </Link>
          ) : (
            <span className="truncate">{waiter.label}</span>
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
      <td className={`${cell} whitespace-nowrap text-ink-soft`} title={since?.basis}>
        {since?.short ?? m.since.unknown}
        {since?.age == null ? null : <span className="hidden text-ink-dim lg:inline"> · {since.age}</span>}
      </td>
      {bySession ? (
        <>
          <td className={`${cell} hidden text-ink-soft md:table-cell`}>
            <span className="inline-flex items-center gap-1.5">
              <Lamp kind={waiter.verdict} size={12} />
              {m.verdicts[waiter.verdict].word}
            </span>
          </td>
          <td className={`${cell} hidden text-right font-mono text-ink-dim lg:table-cell`}>
            {waiter.arrivedIndex}
          </td>
        </>
      ) : null}
    </tr>
  );
}
