'use client';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { paths } from '@/lib/client/paths';
import { type Subject, subjectId, subjectName } from '@/lib/domain/model';

/** A link from the page of a subject to its audit. */
export function AuditLink({ subject }: { subject: Subject }) {
  const { audit } = useAllMessages();
  return (
    <Link
      href={paths.audit({ subject: subjectId(subject) })}
      prefetch={false}
      title={audit.linkTitle(subjectName(subject))}
      className="inline-flex h-7 items-center max-md:min-h-[44px] whitespace-nowrap rounded-[5px] border border-line px-2.5 font-medium text-[13px] text-ink-soft hover:bg-hover hover:text-ink"
    >
      {audit.link}
    </Link>
  );
}
