'use client';
import { clsx } from 'clsx';
import { useId } from 'react';
import { useMessages } from '@/components/dom/locale';
/** What narrows the audit. It lives in the address: selects change it at once, fields when the form is sent. */
import { SourceSelect } from '@/components/list/source-select';
import { useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import { Select } from '@/components/ui/select';
import { auditKinds } from '@/lib/domain/actions/audit';
import { actionTypes, deedStates } from '@/lib/domain/actions/deed';
import { formatInstant } from '@/lib/i18n/format/format';
import { type AuditParameters, changed, instantOf, isNarrowed, localTime } from './audit-query';

/** Kinds that are no part of an action: those are found by the action. */
const otherKinds = auditKinds.filter((kind) => /^(sign|grant)/.test(kind));

const field =
  'h-7 min-w-0 rounded-[5px] border border-line bg-transparent px-2 text-[13px] text-ink placeholder:text-ink-dim hover:border-line-strong focus-visible:outline-2 focus-visible:outline-brass';

interface FiltersProps {
  readonly asked: AuditParameters;
  readonly go: (asked: AuditParameters) => void;
}

export function Filters({ asked, go }: FiltersProps) {
  const { audit } = useMessages();
  const texts = audit.filters;
  const zone = useZone();
  const any = { value: '', text: texts.any };
  const what = asked.action ? `action ${asked.action}` : asked.kind ? `kind ${asked.kind}` : '';
  const local = (name: string) => localTime(asked[name], (atMs) => formatInstant(atMs, zone));
  return (
    <form
      // The fields begin anew with every address. Not when the browser's own zone is known: times that nobody has touched follow
      // by themselves, and what was typed before is not lost.
      key={JSON.stringify(asked)}
      aria-label={texts.label}
      className="flex flex-wrap items-end gap-x-3 gap-y-2 px-4 pb-4 sm:px-6"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const said = (name: string) => String(form.get(name) ?? '').trim();
        go(
          changed(asked, {
            person: said('person'),
            subject: said('subject'),
            from: instantOf(said('from'), 'from'),
            to: instantOf(said('to'), 'to'),
          }),
        );
      }}
    >
      <Field name="person" label={texts.person} help={texts.personHelp} value={asked.person} />
      <Field name="subject" label={texts.subject} help={texts.subjectHelp} value={asked.subject} wide />
      <Field name="from" label={texts.from} type="datetime-local" value={local('from')} />
      <Field name="to" label={texts.to} type="datetime-local" value={local('to')} />
      <Button type="submit" className="h-7!">
        {texts.apply}
      </Button>
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
          go(changed(asked, { action: '', kind: '', ...(name === '' ? {} : { [name ?? '']: chosen }) }));
        }}
      />
      <Select
        label={texts.outcome}
        value={asked.outcome ?? ''}
        active={Boolean(asked.outcome)}
        options={[any, ...deedStates.map((state) => ({ value: state, text: audit.states[state] }))]}
        onChange={(outcome) => go(changed(asked, { outcome }))}
      />
      <SourceSelect
        value={asked.source || null}
        onChange={(source) => go(changed(asked, { source: source ?? '' }))}
      />
      {isNarrowed(asked) ? (
        <button
          type="button"
          onClick={() => go({})}
          className="h-7 rounded-[5px] px-2 text-[13px] text-brass-strong underline-offset-3 hover:underline"
        >
          {texts.clear}
        </button>
      ) : null}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly help?: string;
  readonly type?: 'search' | 'datetime-local';
  readonly wide?: boolean;
}

function Field({ name, label, value = '', help, type = 'search', wide = false }: FieldProps) {
  const id = useId();
  return (
    <span
      className={clsx(
        'flex min-w-0 max-w-full flex-col gap-0.5',
        type === 'search' && 'flex-1 basis-32 sm:flex-none sm:basis-auto',
      )}
    >
      <label htmlFor={id} className="text-[12px] text-ink-dim">
        {label}
      </label>
      <input
        id={id}
        name={name}
        type={type}
        defaultValue={value}
        placeholder={help}
        autoComplete="off"
        spellCheck={false}
        className={clsx(
          field,
          'max-w-full',
          type === 'datetime-local' ? 'w-48' : wide ? 'w-full sm:w-64' : 'w-full sm:w-40',
        )}
      />
    </span>
  );
}
