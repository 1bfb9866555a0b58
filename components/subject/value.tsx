'use client';
import { useAllMessages } from '@/components/locale';
import { Copy } from '@/components/ui/copy';
import { Explained } from '@/components/ui/explained';
import type { StoredValue } from '@/lib/domain/model';
import { formatBytes } from '@/lib/words/format';

/** A short value in one line, in its own words or as base64. */
export function ValueLine({ value }: { value: StoredValue }) {
  const { raw } = useAllMessages().subject;
  return (
    <>
      <code className="break-all">{value.content}</code>
      {value.encoding === 'base64' ? <span className="text-ink-dim"> ({raw.base64})</span> : null}
    </>
  );
}

interface RawProps {
  readonly entryKey: string;
  readonly value: StoredValue | null;
  /** False when there is no such entry, which is not the same as an empty one. */
  readonly exists: boolean;
  /** Names and values of the entry's other fields; `help` says what one is good for. */
  readonly fields: readonly { readonly name: string; readonly value: string; readonly help?: string }[];
}

/** The stored entry as it is: nothing is reformatted, so that what is copied is what is there. */
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
                ? raw.truncated(formatBytes(value.content.length), formatBytes(value.bytes))
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
