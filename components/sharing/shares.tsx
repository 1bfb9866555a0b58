'use client';
/** The page of shares, with the buttons that take them back. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { When } from '@/components/live/clock';
import { ProblemText } from '@/components/live/problem-text';
import { useSessionState } from '@/components/live/session-root';
import { useSourceTitle } from '@/components/live/sources';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { Button } from '@/components/ui/button';
import { changeGrant, type GrantList, listGrants } from '@/lib/client/grants';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type GrantChange, hasHistory, type ShownGrant, scopeName } from '@/lib/domain/sharing/grant';

type Listed = GrantList | Problem | null;

/** The list of shares, `null` until the first answer, and a function that reads it again. */
function useGrants(): [Listed, () => void] {
  const [listed, put] = useState<Listed>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is what reads it again.
  useEffect(() => {
    const end = new AbortController();
    listGrants(end.signal).then(put, () => {});
    return () => end.abort();
  }, [round]);
  return [listed, useCallback(() => setRound((n) => n + 1), [])];
}

export function Shares() {
  const m = useAllMessages();
  const { page } = m.share;
  usePageTitle(page.title);
  const [listed, readAgain] = useGrants();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [message, setMessage] = useState('');
  const change = async (id: string, how: GrantChange) => {
    const answer = await changeGrant({ id, change: how }, new AbortController().signal);
    setProblem(isProblem(answer) ? answer : null);
    setMessage(isProblem(answer) ? '' : page.changed[how]);
    readAgain();
  };
  const list = listed === null || isProblem(listed) ? null : listed;
  const fault = listed !== null && isProblem(listed) ? listed : null;
  // Embeds that are switched off are no failure.
  const off = fault?.why?.code === 'embeds-off';
  const active = list?.grants.filter(({ state }) => state === 'active').length ?? 0;
  return (
    <div className="px-4 pt-6 pb-8 sm:px-6">
      <h1 className="sr-only">{page.title}</h1>
      <p className="min-h-7 max-w-[70ch] text-[21px] leading-7 tracking-[-0.01em]">
        {list === null
          ? listed === null
            ? m.shell.loading
            : off
              ? page.off
              : page.failed
          : page.sentence(active, list.grants.length)}
      </p>
      <p className="mt-2 max-w-[80ch] text-[13px] text-ink-soft">
        {list === null ? null : `${list.whole ? page.whole : page.own} ${page.tokens}`}
      </p>
      <p role="status" className="my-2 min-h-10 text-[13px] text-ink-soft leading-5 sm:min-h-5">
        {message}
      </p>
      {problem === null ? null : <ProblemText problem={problem} />}
      {fault !== null && !off ? (
        <div className="flex flex-col items-start gap-3">
          <ProblemText problem={fault} />
          <Button onClick={readAgain}>{page.retry}</Button>
        </div>
      ) : null}
      {list === null ? null : list.grants.length === 0 ? (
        <p className="py-6 font-medium text-[15px]">{page.empty}</p>
      ) : (
        <ul aria-label={page.table} className="border-line border-t">
          {list.grants.map((grant) => (
            <Row key={grant.id} grant={grant} onAsk={() => setMessage('')} onChange={change} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface RowProps {
  readonly grant: ShownGrant;
  /** Removes the notice of an earlier change. */
  readonly onAsk: () => void;
  readonly onChange: (id: string, change: GrantChange) => Promise<void>;
}

function Row({ grant, onAsk, onChange }: RowProps) {
  const { page } = useAllMessages().share;
  const { scope, state, madeBy } = grant;
  const name = scopeName(scope);
  const title = useSourceTitle()(scope.source);
  const over = state === 'revoked' || state === 'ended';
  const row = useRef<HTMLLIElement>(null);
  const session = useSessionState();
  const asks = session.at === 'in' && session.session.accessControl !== 'off';
  const ended = over ? (grant.revokedAtMs ?? grant.lostAtMs) : null;
  const ends = [grant.endsAtMs, grant.tokenEndsAtMs].filter((atMs) => atMs !== null);
  const endMs = ended ?? (ends.length === 0 ? null : Math.min(...ends));
  const who = madeBy.kind === 'anonymous' ? page.anonymous : madeBy.name;
  const facts = [
    page.kinds[scope.view],
    ...(scope.values ? [page.values] : []),
    ...(hasHistory(scope) ? [page.history] : []),
    ...(scope.sessions ? [] : [page.noSessions]),
    scope.frames.length === 0 ? page.noFrames : page.frames(scope.frames.join(', ')),
    ...(scope.label === '' ? [] : [scope.label]),
  ];
  return (
    <li
      ref={row}
      tabIndex={-1}
      className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-line border-b py-3 text-[13px] outline-brass -outline-offset-2 focus-visible:outline-2"
      data-grant={grant.id}
    >
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-baseline gap-x-3">
          {name === '' ? <span className="font-semibold">{page.everything}</span> : <Name name={name} />}
          <SourceBadge source={scope.source} />
          <span className={state === 'active' ? 'font-medium text-lamp-alive' : 'text-ink-soft'}>
            {page.states[state]}
          </span>
        </p>
        <p className="break-words text-ink-soft">{facts.join(' · ')}</p>
        <dl className="mt-1 flex flex-wrap gap-x-5 text-[12px] text-ink-soft">
          <Fact name={page.columns.used}>
            {grant.usedAtMs === null ? page.never : <When atMs={grant.usedAtMs} />}
          </Fact>
          <Fact name={page.columns.made}>
            <When atMs={grant.madeAtMs} /> {page.by(who)}
          </Fact>
          <Fact name={over ? page.endedAt : page.columns.ends}>
            {endMs === null ? asks ? page.notEndingBefore : page.notEnding : <When atMs={endMs} />}
            {endMs !== null && !over && endMs === grant.tokenEndsAtMs ? ` ${page.tokenEnd}` : null}
          </Fact>
        </dl>
        {grant.cause === null ? null : (
          <p className="mt-1 text-[13px] text-ink" data-cause={grant.cause}>
            {page.causes[grant.cause]}
          </p>
        )}
      </div>
      {over ? null : (
        <Changes
          grant={grant}
          name={[name === '' ? page.everything : name, title].filter(Boolean).join(', ')}
          onAsk={onAsk}
          onChange={onChange}
          row={row}
        />
      )}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-ink-dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The second click of a double click does not answer the question that the first one raised. Keys never count as one. */
const isEcho = ({ detail }: { readonly detail: number }) => detail > 1;

interface ChangesProps extends RowProps {
  readonly name: string;
  /** Takes the focus of a button that goes with the others. */
  readonly row: React.RefObject<HTMLElement | null>;
}

/**
 * Revoking cannot be undone, so it needs a confirmation. "Keep" appears where "Revoke" was, so that a second press
 * there destroys nothing.
 */
function Changes({ grant, name, onAsk, onChange, row }: ChangesProps) {
  const { page } = useAllMessages().share;
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  const revoke = useRef<HTMLButtonElement>(null);
  const wasSure = useRef(false);
  useEffect(() => {
    // The pressed button is gone, so the focus moves to the harmless one.
    if (sure) keep.current?.focus();
    else if (wasSure.current) revoke.current?.focus();
    wasSure.current = sure;
  }, [sure]);
  const box = useRef<HTMLDivElement>(null);
  // The buttons of an ended share go. At this moment they are still in the document.
  useLayoutEffect(
    () => () => {
      if (box.current?.contains(document.activeElement)) row.current?.focus({ preventScroll: true });
    },
    [row],
  );
  const run = async (change: GrantChange) => {
    if (busy) return;
    setBusy(true);
    await onChange(grant.id, change);
    setBusy(false);
    setSure(false);
  };
  const paused = grant.state === 'paused';
  return (
    <div ref={box} className="ml-auto">
      {sure ? (
        <fieldset aria-label={page.revokeOf(name)} className="flex gap-2">
          <Button
            tone="danger"
            aria-disabled={busy}
            onClick={(event) => {
              if (!isEcho(event)) void run('revoke');
            }}
          >
            {page.sure}
          </Button>
          <Button
            ref={keep}
            className="min-w-20"
            onClick={(event) => {
              if (!isEcho(event)) setSure(false);
            }}
          >
            {page.keep}
          </Button>
        </fieldset>
      ) : (
        <div className="flex gap-2">
          <Button
            aria-label={paused ? page.resumeOf(name) : page.pauseOf(name)}
            aria-disabled={busy}
            onClick={() => run(paused ? 'resume' : 'pause')}
          >
            {paused ? page.resume : page.pause}
          </Button>
          <Button
            ref={revoke}
            className="min-w-20"
            aria-label={page.revokeOf(name)}
            onClick={() => {
              onAsk();
              setSure(true);
            }}
          >
            {page.revoke}
          </Button>
        </div>
      )}
    </div>
  );
}
