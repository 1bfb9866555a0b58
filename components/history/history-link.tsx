'use client';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { paths } from '@/lib/client/paths';
import { type Subject, subjectName } from '@/lib/domain/model';

/** Links from the page of a subject to its history, and to that of all names with its prefix. */
export function HistoryLink({ subject }: { subject: Subject }) {
  const { history } = useAllMessages();
  const name = subjectName(subject);
  return (
    <Link
      href={paths.history(name, subject.source)}
      prefetch={false}
      title={history.linkTitle(name)}
      className="inline-flex h-7 items-center max-md:min-h-[44px] whitespace-nowrap rounded-[5px] border border-line px-2.5 font-medium text-[13px] text-ink-soft hover:bg-hover hover:text-ink"
    >
      {history.title}
    </Link>
  );
}
