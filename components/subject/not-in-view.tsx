'use client';
import { Link } from '@/components/link';
import { useAllMessages } from '@/components/locale';
import { Name } from '@/components/name';
import { isOld, useFreshness } from '@/components/shell/freshness';
import { paths } from '@/lib/client/paths';
import type { Subject } from '@/lib/domain/model';
import { nameParts } from '@/lib/words/format';

/** The page of something that is not there: what may be the cause, and where to look. */
export function NotInView({ kind, name }: { kind: Subject['kind']; name: string }) {
  const { subject, shell } = useAllMessages();
  const freshness = useFreshness();
  const texts = subject.notInView;
  if (freshness === 'catching-up')
    return <p className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">{shell.loading}</p>;
  const search = kind === 'session' ? name : nameParts(name).last;
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-8 sm:px-6">
      <h1 className="font-medium text-[21px] leading-7">{name === '' ? texts.nothingAsked : texts[kind]}</h1>
      {name === '' ? null : <Name name={name} large />}
      <p className="text-ink-soft">{isOld(freshness) ? texts.becauseDown : texts.because}</p>
      <Link
        href={paths.board(search === '' ? null : search)}
        className="text-brass-strong underline underline-offset-3"
      >
        {name === '' ? subject.back : texts.search}
      </Link>
    </div>
  );
}
