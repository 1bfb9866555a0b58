'use client';
/** The filters of the audit, in the address. A select applies all of them at once; text applies with Enter or the button. */
import { clsx } from 'clsx';
import { useId, useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { MoreFilters } from '@/components/list/more-filters';
import { SourceSelect } from '@/components/list/source-select';
import { useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/select';
import { actionTypes } from '@/lib/domain/actions/action';
import { auditKinds } from '@/lib/domain/actions/audit';
import { deedStates } from '@/lib/domain/actions/deed';
import { formatInstant } from '@/lib/i18n/format/format';
import { type AuditParameters, changed, filtersOf, instantOf, localTime } from './audit-query';

/** Kinds that are no part of an action; the action finds its own. */
const otherKinds = auditKinds.filter((kind) => /^(sign|grant)/.test(kind));

const field =
  'h-7 min-w-0 rounded-[5px] border border-line bg-transparent px-2 text-[13px] text-ink placeholder:text-ink-dim hover:border-line-strong focus-visible:outline-2 focus-visible:outline-brass';

interface FiltersProps {
  readonly asked: AuditParameters;
  readonly go: (query: AuditParameters) => void;
}

export function Filters({ asked, go }: FiltersProps) {
  const { audit } = useAllMessages();
  const texts = audit.filters;
  const zone = useZone();
  const form = useRef<HTMLFormElement>(null);
  /** The time that is none, and the filters beside which it was typed: it goes with their form. */
  const [wrong, setWrong] = useState<{ readonly name: 'from' | 'to'; readonly beside: string } | null>(null);
  const beside = JSON.stringify(asked);
  const [open, setOpen] = useState(false);
  const any = { value: '', text: texts.any };
  const what = asked.action ? `action ${asked.action}` : asked.kind ? `kind ${asked.kind}` : '';
  const local = (name: string) => localTime(asked[name], (atMs) => formatInstant(atMs, zone));
  const apply = (chosen: AuditParameters = {}) => {
    if (form.current === null) return;
    const typed = new FormData(form.current);
    const text = (name: string) => String(typed.get(name) ?? '').trim();
    const from = instantOf(text('from'), 'from');
    const to = instantOf(text('to'), 'to');
    const name = from === null ? 'from' : to === null ? 'to' : null;
    setWrong(name === null ? null : { name, beside });
    if (from === null || to === null) return;
    go(changed(asked, { person: text('person'), subject: text('subject'), from, to, ...chosen }));
  };
  const narrowing = Object.keys(filtersOf(asked)).length;
  return (
    <>
      <div className="flex px-4 pb-3 sm:px-6 md:hidden">
        <MoreFilters open={open} on={narrowing} onChange={setOpen} />
      </div>
      <form
        ref={form}
        // The fields start fresh with every address, but not when the browser's own zone is known. Untouched times follow
        // the zone, and typed text is not lost.
        key={beside}
        aria-label={texts.label}
        className={clsx(
          'flex flex-wrap items-start gap-x-3 gap-y-2 px-4 pb-4 sm:px-6',
          open ? '' : 'max-md:hidden',
        )}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
      >
        <Field name="person" label={texts.person} help={texts.personHelp} value={asked.person} />
        <Field name="subject" label={texts.subject} help={texts.subjectHelp} value={asked.subject} wide />
        {(['from', 'to'] as const).map((name) => (
          <Field
            key={name}
            name={name}
            label={texts[name]}
            help={texts.timeHelp}
            value={local(name)}
            wrong={wrong?.name === name && wrong.beside === beside ? texts.timeWrong : null}
          />
        ))}
        {/* Beside the fields, below their labels. */}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 sm:pt-[22px]">
          <Select
            label={texts.what}
            value={what}
            active={what !== ''}
            options={[
              any,
              ...actionTypes.map((type) => ({ value: `action ${type}`, text: audit.actions[type] })),
              ...otherKinds.map((kind) => ({ value: `kind ${kind}`, text: audit.kinds[kind] })),
            ]}
            onChange={(value) => {
              const [name, chosen = ''] = value.split(' ');
              apply({ action: '', kind: '', ...(name === '' ? {} : { [name ?? '']: chosen }) });
            }}
          />
          <Select
            label={texts.outcome}
            value={asked.outcome ?? ''}
            active={Boolean(asked.outcome)}
            options={[any, ...deedStates.map((state) => ({ value: state, text: audit.states[state] }))]}
            onChange={(outcome) => apply({ outcome })}
          />
          <SourceSelect value={asked.source || null} onChange={(source) => apply({ source: source ?? '' })} />
          <Button type="submit" className="h-7!">
            {texts.apply}
          </Button>
          {narrowing > 0 ? (
            <button
              type="button"
              onClick={() => go({})}
              className="h-7 rounded-[5px] px-2 text-[13px] text-brass-strong underline-offset-3 hover:underline"
            >
              {texts.clear}
            </button>
          ) : null}
        </div>
      </form>
    </>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly help: string;
  readonly wide?: boolean;
  /** The error in the text; `null` without one. */
  readonly wrong?: string | null;
}

function Field({ name, label, value = '', help, wide = false, wrong = null }: FieldProps) {
  const id = useId();
  return (
    <span className="flex min-w-0 max-w-full flex-1 basis-32 flex-col gap-0.5 sm:flex-none sm:basis-auto">
      <label htmlFor={id} className="text-[12px] text-ink-dim">
        {label}
      </label>
      <input
        id={id}
        name={name}
        type="search"
        defaultValue={value}
        placeholder={help}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={wrong !== null}
        aria-describedby={wrong === null ? undefined : `${id}-wrong`}
        className={clsx(field, 'w-full', wide ? 'sm:w-64' : 'sm:w-44', wrong !== null && 'border-danger')}
      />
      {wrong === null ? null : (
        <span
          id={`${id}-wrong`}
          role="alert"
          className="max-w-52 whitespace-pre-line text-[12px] text-danger leading-4"
        >
          {wrong}
        </span>
      )}
    </span>
  );
}
