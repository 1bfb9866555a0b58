'use client';
import { useAllMessages } from '@/components/dom/locale';
import { useSourceTitle } from '@/components/live/sources';
import { Lamp } from '@/components/marks/lamp';
import { targetOf } from '@/lib/domain/actions/whom';
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf } from '@/lib/domain/holders';
import { shortId } from '@/lib/domain/model';
import { cutName } from '@/lib/i18n/format/format';
import { verdictMeaning } from '@/lib/i18n/sentences';
import type { DialogRequest } from '@/lib/view/actions/request';
import { SinceLine } from './since-line';

/** Characters of a session's name; a client may choose any length. */
const nameMax = 64;

interface ShownLineProps {
  readonly request: DialogRequest;
  /** The line reports changes from now on. */
  readonly watch: boolean;
  readonly onPlanAgain: (() => void) | null;
}

/**
 * The subject as the page showed it when the dialog opened: the party, its verdict, its session and indexes;
 * below, any change since.
 */
export function ShownLine({ request, watch, onPlanAgain }: ShownLineProps) {
  const { action, lock, semaphore, session } = request;
  const m = useAllMessages();
  const { shown } = m.action;
  const of = lock ?? semaphore;
  const target = targetOf(action, lock);
  const currentHolder = of === null ? undefined : holdersOf(of).find((one) => one.sessionId === target);
  const waiter = currentHolder ?? (of?.waiters ?? []).find((one) => one.sessionId === target);
  const holder = currentHolder ?? waiter ?? null;
  const holds = of === null ? 'session' : capabilities[of.layout].holds;
  const meaning =
    holder === null
      ? ''
      : currentHolder !== undefined || holds === 'session'
        ? verdictMeaning(holder, m, holds)
        : holder.verdict === 'ghost'
          ? holder.evidence.some(({ code }) => code === 'zookeeper-place-gone')
            ? m.subject.holding.stuckWaiter
            : m.subject.holding.deadWaiter
          : m.subject.holding.liveWaiter;
  const sessionId = holder?.sessionId ?? session?.id ?? null;
  const name = session?.name ?? '';
  const node = session?.node ?? holder?.session?.node ?? null;
  const index = lock?.modifyIndex ?? semaphore?.modifyIndex ?? null;
  const title = useSourceTitle()(action.source);
  const facts = [
    ...(title === null ? [] : [title]),
    ...(sessionId === null || holds !== 'session' ? [] : [shown.session(shortId(sessionId))]),
    ...(name === '' || name === holder?.label ? [] : [shown.name(cutName(name, nameMax))]),
    ...(node === null ? [] : [shown.node(node)]),
    ...(semaphore?.limit == null ? [] : [shown.limit(semaphore.limit)]),
    ...(index === null || index === '0' ? [] : [shown.index(index)]),
  ];
  if (holder === null && facts.length === 0) return null;
  return (
    <div className="flex items-start gap-2.5 text-[13px]">
      {holder === null ? null : <Lamp kind={holder.verdict} size={16} className="mt-0.5" />}
      <div className="min-w-0 flex-1">
        {holder === null ? null : (
          <p>
            <span className="break-all font-medium">{holder.label}</span>{' '}
            <span className="text-ink-soft">
              {m.verdicts[holder.verdict].word} · {meaning}
            </span>
          </p>
        )}
        <p
          className="break-words text-[12px] text-ink-dim"
          title={[sessionId, name].filter(Boolean).join('\n') || undefined}
        >
          {m.action.sections.subject}: {facts.join(' · ')}
        </p>
        <SinceLine request={request} watch={watch} onPlanAgain={onPlanAgain} />
      </div>
    </div>
  );
}
