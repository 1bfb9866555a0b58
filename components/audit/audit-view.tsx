'use client';
/** The page of the audit: whether the chain is intact, the filters, and the deeds, newest first. */
import { clsx } from 'clsx';
import { Download } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTransition } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { Empty } from '@/components/ui/empty';
import { paths } from '@/lib/client/paths';
import type { AuditShown } from '@/lib/domain/actions/deed';
import { type AuditParameters, filtersOf, isNarrowed } from './audit-query';
import { ChainLine } from './chain-line';
import { DeedRow } from './deed-row';
import { Filters } from './filters';

interface AuditViewProps {
  readonly shown: AuditShown;
  /** The query of the address, as the server read it. */
  readonly asked: AuditParameters;
}

const linkClass =
  'inline-flex h-7 items-center gap-1.5 rounded-[5px] border border-line px-2.5 text-[13px] text-ink-soft hover:border-line-strong hover:text-ink';

export function AuditView({ shown, asked }: AuditViewProps) {
  const { audit } = useAllMessages();
  usePageTitle(audit.title);
  const router = useRouter();
  const [waiting, start] = useTransition();
  const go = (next: AuditParameters) => start(() => router.push(paths.audit(next)));
  if ('failed' in shown)
    return <Failed why={shown.failed} asked={asked} onAgain={() => start(() => router.refresh())} />;
  const { deeds, older, all, cut } = shown;
  return (
    <>
      <div className="flex flex-col gap-2 px-4 pt-6 pb-4 sm:px-6">
        <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
          <h1 className="sr-only">{audit.title}</h1>
          <p className="max-w-[70ch] text-[21px] leading-7 tracking-[-0.01em]">
            {all ? audit.sentence.all : audit.sentence.part}
          </p>
          <Button onClick={() => start(() => router.refresh())}>{audit.look}</Button>
        </div>
        {all ? <ChainLine /> : <p className="max-w-[80ch] text-[13px] text-ink-soft">{audit.part}</p>}
      </div>
      <Filters asked={asked} go={go} />
      <section
        id="list"
        tabIndex={-1}
        aria-label={audit.table}
        aria-busy={waiting}
        className={clsx(
          'border-line border-t outline-brass -outline-offset-2 focus-visible:outline-2',
          waiting && 'opacity-55',
        )}
      >
        {deeds.length === 0 ? (
          <Nothing asked={asked} cut={cut} />
        ) : (
          <ol>
            {deeds.map((deed) => (
              <DeedRow key={`${deed.head.thread} ${deed.head.kind} ${deed.head.atMs}`} deed={deed} />
            ))}
          </ol>
        )}
      </section>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-4 text-[12px] text-ink-dim sm:px-6">
        <p role="status">{cut ? audit.shownSome(deeds.length) : audit.shown(deeds.length, older !== null)}</p>
        {/* Above, the chain counts rows. */}
        {all && deeds.length > 0 ? <p>{audit.chain.rows}</p> : null}
        {asked.below ? (
          <Link href={paths.audit(filtersOf(asked))} className={linkClass}>
            {audit.newest}
          </Link>
        ) : null}
        {older === null ? null : (
          <Link href={paths.audit({ ...filtersOf(asked), below: older })} className={linkClass}>
            {audit.older}
          </Link>
        )}
        <Exports asked={asked} all={all} />
      </div>
    </>
  );
}

/** Plain links: the browser saves the answer while it arrives. */
function Exports({ asked, all }: { asked: AuditParameters; all: boolean }) {
  const { export: texts } = useAllMessages().audit;
  return (
    <fieldset className="flex flex-wrap items-center gap-2 sm:ml-auto">
      <legend className="sr-only">{texts.label}</legend>
      {/* Rows that come without digests prove nothing. */}
      {all ? <span>{texts.note}</span> : null}
      {(['csv', 'jsonl'] as const).map((format) => (
        <a
          key={format}
          href={paths.api.audit({ ...filtersOf(asked), format })}
          download
          className={linkClass}
        >
          <Download size={13} aria-hidden="true" />
          {texts[format]}
        </a>
      ))}
    </fieldset>
  );
}

function Nothing({ asked, cut }: { asked: AuditParameters; cut: boolean }) {
  const { empty } = useAllMessages().audit;
  if (cut) return <Empty title={empty.older} text={empty.olderText} />;
  if (isNarrowed(asked)) return <Empty title={empty.filtered} text={empty.filteredText} />;
  return <Empty title={empty.none} text={empty.noneText} />;
}

interface FailedProps {
  readonly why: Extract<AuditShown, { failed: unknown }>['failed'];
  readonly asked: AuditParameters;
  readonly onAgain: () => void;
}

function Failed({ why, asked, onAgain }: FailedProps) {
  const { audit } = useAllMessages();
  const { failed } = audit;
  return (
    <div role="alert">
      <h1 className="sr-only">{audit.title}</h1>
      {why === 'store' ? (
        <Empty title={failed.title} text={failed.text}>
          <Button onClick={onAgain}>{failed.again}</Button>
        </Empty>
      ) : why === 'query' ? (
        <Empty title={failed.query} text={failed.queryText}>
          <Link href={paths.audit()} className={linkClass}>
            {audit.newest}
          </Link>
        </Empty>
      ) : (
        <Empty title={failed.signIn} text={failed.signInText}>
          <Link href={paths.login(paths.audit(filtersOf(asked)))} className={linkClass}>
            {failed.signInButton}
          </Link>
        </Empty>
      )}
    </div>
  );
}
