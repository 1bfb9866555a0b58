'use client';
import { useAllMessages } from '@/components/dom/locale';
import { Copy } from '@/components/ui/copy';
import { Explained } from '@/components/ui/tip';
import type { StoredValue } from '@/lib/domain/model';
import { formatBytes } from '@/lib/i18n/format/format';
import { clippedValue, shownBytes } from '@/lib/view/clipped-value';

/** A value in one line, as text or base64; a long one is cut, with its share. */
export function ValueLine({ value }: { value: StoredValue }) {
  const { line, notes } = clippedValue(value, useAllMessages().subject.raw);
  return (
    <>
      <code className="break-all">{line}</code>
      {notes.length === 0 ? null : <span className="text-ink-dim"> ({notes.join(' · ')})</span>}
    </>
  );
}

interface RawField {
  readonly name: string;
  readonly value: string;
  readonly help?: string;
}

/** One field of a stored entry; none where the backend has no such fact, or there is no entry. */
export const fieldOf = (
  name: string,
  value: string | null | undefined,
  help?: string,
): readonly RawField[] => (value == null ? [] : [{ name, value, ...(help === undefined ? {} : { help }) }]);

interface RawProps {
  readonly entryKey: string;
  readonly value: StoredValue | null;
  /** False when there is no such entry, which is not the same as an empty one. */
  readonly exists: boolean;
  /** Names and values of the entry's other fields; `help` explains a field's use. */
  readonly fields: readonly RawField[];
}

/** The stored entry, never reformatted, so that a copy equals the original. */
export function RawEntry({ entryKey, value, exists, fields }: RawProps) {
  const { subject, shell } = useAllMessages();
  const { raw } = subject;
  return (
    <div className="flex flex-col gap-3">
      <div className="overflow-hidden rounded-[5px] border border-line bg-inset">
        <div className="flex items-center justify-between gap-3 border-line border-b py-1 pr-1 pl-3 text-[12px] text-ink-dim">
          <span className="min-w-0 truncate font-mono" title={entryKey}>
            {entryKey}
          </span>
          {value === null ? null : (
            <span className="flex shrink-0 items-center gap-1">
              {value.encoding === 'base64' ? `${raw.base64} · ` : ''}
              {value.truncated
                ? raw.truncated(formatBytes(shownBytes(value)), formatBytes(value.bytes))
                : formatBytes(value.bytes)}
              <Copy text={value.content} label={shell.copy.label(raw.value)} done={shell.copy.done} />
            </span>
          )}
        </div>
        <pre className="max-h-80 overflow-auto whitespace-pre-wrap break-all px-3 py-2 text-[12px] leading-5">
          {value === null || value.bytes === 0 ? (
            <span className="text-ink-dim">{exists ? raw.empty : raw.none}</span>
          ) : (
            value.content
          )}
        </pre>
      </div>
      <dl className="flex flex-wrap gap-x-8 gap-y-1 text-[13px]">
        {fields.map((field) => (
          <div key={field.name} className="flex items-center gap-2">
            <dt className="text-ink-dim">
              {field.help === undefined ? field.name : <Explained text={field.help}>{field.name}</Explained>}
            </dt>
            <dd className="flex items-center font-mono">
              {field.value}
              <Copy text={field.value} label={shell.copy.label(field.name)} done={shell.copy.done} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
