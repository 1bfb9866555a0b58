'use client';
/** The recorded rows of a deed, with the proof that they are unchanged. */
import { Fragment } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { Copy } from '@/components/ui/copy';
import { Fact, Facts } from '@/components/ui/section';
import type { Deed, ShownRow } from '@/lib/domain/actions/deed';
import { formatInstant } from '@/lib/i18n/format/format';
import { SubjectLink } from './deed-words';

export function RawRows({ deed: { head, rest } }: { deed: Deed }) {
  return (
    <div className="my-2 flex flex-col gap-3 border-line-strong border-l-2 pl-4">
      {[head, ...rest].map((row) => (
        <RawRow key={`${row.thread} ${row.kind} ${row.atMs}`} row={row} />
      ))}
    </div>
  );
}

function RawRow({ row }: { row: ShownRow }) {
  const { audit } = useAllMessages();
  const texts = audit.row;
  const zone = useZone();
  const detail = JSON.stringify(row.detail, null, 2);
  return (
    <section aria-label={audit.kinds[row.kind]}>
      <h2 className="mb-1 font-medium text-[13px]">
        {audit.kinds[row.kind]}
        {row.seq === undefined ? null : <span className="text-ink-dim"> · {texts.seq(row.seq)}</span>}
      </h2>
      <Facts>
        <Fact name={texts.at}>
          <time dateTime={new Date(row.atMs).toISOString()}>{formatInstant(row.atMs, zone)}</time>
        </Fact>
        {row.address === null ? null : (
          <Fact name={texts.address}>
            <code>{row.address}</code>
          </Fact>
        )}
        <Fact name={texts.replica}>
          <code>{row.replica}</code>
        </Fact>
        {row.subjects.length < 2 ? null : (
          <Fact name={audit.filters.subject}>
            {row.subjects.map((subject) => (
              <Fragment key={subject}>
                <SubjectLink id={subject} />
                <br />
              </Fragment>
            ))}
          </Fact>
        )}
        <Id name={texts.thread} text={row.thread} />
        {row.before === undefined ? null : <Id name={texts.before} text={row.before} />}
        {row.digest === undefined ? null : <Id name={texts.digest} text={row.digest} />}
        {detail === '{}' ? null : (
          <Fact name={texts.detail}>
            <pre className="max-h-80 overflow-auto whitespace-pre-wrap break-all rounded-[5px] bg-inset px-3 py-2 text-[12px] leading-4">
              {detail}
            </pre>
          </Fact>
        )}
      </Facts>
    </section>
  );
}

function Id({ name, text }: { name: string; text: string }) {
  const { shell } = useAllMessages();
  return (
    <Fact name={name}>
      <span className="flex items-center gap-1">
        <code className="break-all text-[12px]">{text}</code>
        <Copy text={text} label={shell.copy.label(name)} done={shell.copy.done} />
      </span>
    </Fact>
  );
}
