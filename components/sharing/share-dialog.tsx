'use client';
/**
 * Shares one view by a link. The dialog names what readers will see, and asks for the sites that may embed the view and
 * for an end. Then it shows the link once.
 */
import { useId, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { When } from '@/components/live/clock';
import { useAhead } from '@/components/live/first-part';
import { ProblemText } from '@/components/live/problem-text';
import { useSessionState } from '@/components/live/session-root';
import { useSourceTitle } from '@/components/live/sources';
import { Button } from '@/components/ui/button';
import { DialogFrame } from '@/components/ui/dialog-frame';
import { fieldLook, Labelled, TextField } from '@/components/ui/text-field';
import { createGrant, type NewGrant } from '@/lib/client/grants';
import { useSnapshot } from '@/lib/client/page-data';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { isFrame } from '@/lib/domain/sharing/frame';
import type { EmbedView, Scope } from '@/lib/domain/sharing/grant';
import { firstSource, type SourceId } from '@/lib/domain/source';
import type { Ahead } from '@/lib/view/board/opening';
import { Made } from './made';

interface ShareProps {
  /** The source; by default the first, because a link shows one. */
  readonly source?: SourceId | undefined;
  readonly view: EmbedView;
  /** Key of a lock, or prefix; '' shares everything. */
  readonly name: string;
  readonly onClose: () => void;
}

const dayMs = 24 * 60 * 60 * 1000;
const ends = { never: null, day: dayMs, week: 7 * dayMs, month: 30 * dayMs, year: 365 * dayMs } as const;
type End = keyof typeof ends;

/** The fields as they stand. */
interface Draft {
  readonly values: boolean;
  readonly history: boolean;
  /** Origins, in lines or with commas. */
  readonly frames: string;
  readonly end: End;
  readonly label: string;
}

export function ShareDialog({ source = firstSource, view, name, onClose }: ShareProps) {
  const { share } = useAllMessages();
  const [draft, setDraft] = useState<Draft>({
    values: false,
    history: false,
    frames: '',
    end: 'never',
    label: '',
  });
  const [state, setState] = useState<'asking' | 'creating' | Problem | NewGrant>('asking');
  const [back] = useState(() => (typeof document === 'undefined' ? null : document.activeElement));
  const scope = scopeOf({ source, view, name }, draft);
  const wrong = wrongFrame(scope);
  const newGrant = typeof state === 'object' && 'address' in state ? state : null;
  const what = name === '' ? share.titleAll : view === 'board' ? share.titlePrefix(name) : share.title(name);
  const title = [what, useSourceTitle()(source)].filter(Boolean).join(' · ');

  const create = async () => {
    if (wrong !== null || state === 'creating') return;
    setState('creating');
    setState(await createGrant({ scope, lifeMs: ends[draft.end] }, new AbortController().signal));
  };

  return (
    <DialogFrame title={newGrant === null ? title : share.made.title} back={back} onClose={onClose}>
      {newGrant === null ? (
        <form
          className="flex flex-col gap-4 px-5 py-4"
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <Reader source={source} view={view} name={name} />
          <Fields
            view={view}
            draft={draft}
            wrong={wrong}
            onChange={(part) => setDraft({ ...draft, ...part })}
          />
          {isProblem(state) ? <Refused problem={state} /> : null}
          <div className="flex flex-wrap justify-end gap-2 border-line border-t pt-4">
            <Button onClick={onClose}>{share.cancel}</Button>
            <Button type="submit" tone="primary" aria-disabled={wrong !== null || state === 'creating'}>
              {state === 'creating' ? share.creating : share.create}
            </Button>
          </div>
        </form>
      ) : (
        <Made made={newGrant} name={name} onClose={onClose} />
      )}
    </DialogFrame>
  );
}

/** Says what readers will see, before anything is shared. */
function Reader({ source, view, name }: Required<Pick<ShareProps, 'source' | 'view' | 'name'>>) {
  const { share, shell } = useAllMessages();
  const { reader } = share;
  const rows = useSharedRows(source, name);
  const state = useSessionState();
  const session = state.at === 'in' ? state.session : null;
  const board = (count: number) => (name === '' ? reader.boardAll(count) : reader.board(count));
  const boardWords = rows === 'loading' ? shell.loading : rows === 'unknown' ? null : board(rows);
  return (
    <section className="text-[13px]">
      <h3 className="font-medium text-ink-soft">{reader.title}</h3>
      <p className="mt-1">{view === 'board' ? boardWords : reader[view]}</p>
      <p className="mt-1">{reader.never}</p>
      {session?.accessControl === 'off' ? (
        <p className="mt-1 text-ink-soft">{reader.server}</p>
      ) : (
        <p className="mt-1 text-ink-soft">
          {reader.maker}
          {session?.tokenEndsAtMs == null ? null : (
            <>
              {' '}
              {reader.expires} <When atMs={session.tokenEndsAtMs} />.
            </>
          )}
        </p>
      )}
      <p className="mt-1 text-ink-soft">{reader.sessions}</p>
    </section>
  );
}

interface FieldsProps {
  readonly view: EmbedView;
  readonly draft: Draft;
  readonly wrong: string | null;
  readonly onChange: (part: Partial<Draft>) => void;
}

function Fields({ view, draft, wrong, onChange }: FieldsProps) {
  const { share } = useAllMessages();
  return (
    <>
      <Options
        names={view === 'board' ? ['values'] : ['values', 'history']}
        draft={draft}
        onChange={onChange}
      />
      <Labelled
        label={share.frames.label}
        help={
          <>
            {wrong === null ? null : (
              <strong className="font-medium text-danger">{share.frames.wrong(wrong)} </strong>
            )}
            {share.frames.help}
          </>
        }
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            value={draft.frames}
            spellCheck={false}
            aria-invalid={wrong !== null}
            onChange={(event) => onChange({ frames: event.target.value })}
            className={`${fieldLook} py-1.5 font-mono text-[13px]!`}
          />
        )}
      </Labelled>
      <div className="grid gap-4 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <Labelled label={share.end.label}>
          {(ids) => (
            <select
              {...ids}
              value={draft.end}
              onChange={(event) => onChange({ end: event.target.value as End })}
              className={`${fieldLook} h-9`}
            >
              {(Object.keys(ends) as End[]).map((end) => (
                <option key={end} value={end}>
                  {share.end[end]}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <TextField
          label={share.label.label}
          help={share.label.help}
          value={draft.label}
          maxLength={120}
          onChange={(event) => onChange({ label: event.target.value })}
        />
      </div>
    </>
  );
}

type Option = 'values' | 'history';

function Options({
  names,
  draft,
  onChange,
}: Pick<FieldsProps, 'draft' | 'onChange'> & { readonly names: readonly Option[] }) {
  const { share } = useAllMessages();
  const id = useId();
  return names.map((name) => (
    <div key={name} className="text-[13px]">
      <label className="inline-flex cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          checked={draft[name]}
          aria-describedby={`${id}-${name}`}
          onChange={(event) => onChange({ [name]: event.target.checked })}
          className="size-4 accent-brass"
        />
        {share[name].label}
      </label>
      <p id={`${id}-${name}`} className="mt-0.5 pl-6 text-[12px] text-ink-soft">
        {share[name].help}
      </p>
    </div>
  ));
}

/**
 * The number of rows that the shared board has now. `loading`: the rest of the world is on its way. `unknown`: the world
 * is too large for the page, and the page's own board counts other rows than the shared one.
 */
function useSharedRows(source: SourceId, name: string): number | 'loading' | 'unknown' {
  const { locks, semaphores } = useSnapshot();
  const ahead = useAhead();
  if (ahead === null)
    return (
      locks.filter((one) => one.source === source && one.key.startsWith(name)).length +
      semaphores.filter((one) => one.source === source && one.prefix.startsWith(name)).length
    );
  return ahead.large === null ? 'loading' : rowsOfLarge(ahead, name);
}

/** The number of rows in a world that is too large for the page, which knows only the counts of its own board. */
function rowsOfLarge({ board }: Ahead, name: string): number | 'unknown' {
  if (board === null) return 'unknown';
  const { q, prefix, verdict, layout, node } = board.query;
  if (name === '') return board.rows;
  return q === '' && prefix === name && verdict === null && layout === null && node === null
    ? board.counts.all
    : 'unknown';
}

function Refused({ problem }: { problem: Problem }) {
  const { page, beyondNext } = useAllMessages().share;
  if (problem.why?.code === 'grant-beyond-reach') return <ProblemText problem={problem} next={beyondNext} />;
  if (problem.why?.code !== 'embeds-off') return <ProblemText problem={problem} />;
  return (
    <p role="alert" className="text-[13px] text-danger">
      {page.off}
    </p>
  );
}

const linesOf = (text: string) =>
  text
    .split(/[\s,]+/)
    // People paste whole addresses; an origin has no final slash.
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line !== '');

function scopeOf(
  { source = firstSource, view, name }: Pick<ShareProps, 'source' | 'view' | 'name'>,
  draft: Draft,
): Scope {
  const { values, label } = draft;
  const common = {
    source,
    datacenter: null,
    values,
    sessions: true,
    frames: linesOf(draft.frames),
    label: label.trim(),
  };
  if (view === 'board') return { view, prefix: name, ...common };
  const past = draft.history ? { history: true } : {};
  return view === 'lock'
    ? { view, key: name, ...common, ...past }
    : { view, prefix: name, ...common, ...past };
}

/** The first line that is no origin; `null`: all are. */
function wrongFrame(scope: Scope): string | null {
  return scope.frames.find((frame) => !isFrame(frame)) ?? null;
}
