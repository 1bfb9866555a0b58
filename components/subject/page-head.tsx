'use client';
import { ChevronLeft } from 'lucide-react';
import { AuditLink } from '@/components/audit/audit-link';
import { CopyMenu } from '@/components/copy/copy-menu';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { FreezeButton } from '@/components/live/freeze';
import { AsOf } from '@/components/live/freshness';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { ShareButton } from '@/components/sharing/share-button';
import { Copy } from '@/components/ui/copy';
import { paths } from '@/lib/client/paths';
import type { Subject } from '@/lib/domain/model';

interface PageHeadProps {
  /** The whole name, for the copy button. */
  readonly name: string;
  /** The subject for the menu that copies it. */
  readonly subject?: Subject;
  /** Replaces the name where that is no path. */
  readonly title?: React.ReactNode;
  readonly meta: readonly string[];
  readonly sentence: React.ReactNode;
  readonly actions?: React.ReactNode;
  readonly back?: { readonly href: string; readonly text: string };
}

/** The top of a subject's page: its name, its state in one sentence, and its actions. */
export function PageHead({ name, subject, title, meta, sentence, actions, back }: PageHeadProps) {
  const { subject: texts, shell } = useAllMessages();
  const up = back ?? { href: paths.board(), text: texts.back };
  return (
    <div className="pt-4 pb-5">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 max-md:items-center">
        <Link
          href={up.href}
          className="inline-flex items-center gap-0.5 self-center max-md:min-h-[44px] rounded-[5px] text-[13px] text-ink-dim hover:text-brass-strong"
        >
          <ChevronLeft size={14} aria-hidden="true" />
          {up.text}
        </Link>
        <h1 className="flex min-w-0 items-center gap-1">
          {title ?? <Name name={name} large />}
          {subject === undefined ? null : <SourceBadge source={subject.source} />}
          <Copy text={name} label={shell.copy.label(name)} done={shell.copy.done} />
        </h1>
        <p className="grow text-[12px] text-ink-dim max-md:basis-full">{meta.join(' · ')}</p>
        {subject === undefined ? null : (
          <span className="flex basis-full flex-wrap items-center gap-2 self-center lg:basis-auto">
            <AuditLink subject={subject} />
            <CopyMenu subject={subject} />
            {subject.kind === 'session' ? null : (
              <ShareButton source={subject.source} view={subject.kind} name={name} />
            )}
            <FreezeButton />
          </span>
        )}
      </div>
      <div className="mt-3 flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <p className="min-w-0 max-w-[62ch] text-pretty text-[21px] leading-7 tracking-[-0.01em]">
          <AsOf />
          {sentence}
        </p>
        {actions === undefined ? null : (
          <div className="flex min-w-0 max-w-full flex-wrap gap-2">{actions}</div>
        )}
      </div>
    </div>
  );
}
