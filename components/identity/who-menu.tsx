'use client';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { useMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { tellOtherTabs } from '@/components/live/session-root';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { paths } from '@/lib/client/paths';
import { signOut } from '@/lib/client/session';
import { shortId } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { formatDue } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import { nameOf } from '@/lib/view/identity-name';

interface MenuProps {
  readonly session: Visitor;
  readonly here: string;
  readonly look: string;
}

/** Open from the start: the person, how long the sign-in lasts, and the way out. */
export function WhoMenu({ session, here, look }: MenuProps) {
  const m = useMessages();
  const { who } = m.identity;
  const name = nameOf(session.identity, m);
  const named = session.identity.kind !== 'anonymous';
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger aria-label={who.label(name)} title={who.label(name)} className={look}>
        <Icon name="person" size={16} />
        {named ? <span className="hidden max-w-36 truncate min-[90rem]:inline">{name}</span> : null}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={who.label(name)}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-40 flex w-[min(22rem,calc(100vw-1rem))] flex-col gap-2 rounded-[5px] border border-line-strong bg-raised p-3 text-[13px] text-ink shadow-lg outline-none"
        >
          <p className="break-words font-medium text-[14px]">{name}</p>
          <About session={session} />
          {session.writes.allowed ? null : (
            <p className="text-ink-soft">{worded(session.writes.reason, m.why)}</p>
          )}
          {session.identity.kind === 'token' ? <Out here={here} /> : null}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function About({ session: { identity, accessControl, endsAtMs, idleEndsAtMs } }: { session: Visitor }) {
  const { who } = useMessages().identity;
  const nowMs = useNow();
  const zone = useZone();
  if (identity.kind === 'proxy') return <p className="text-ink-soft">{who.proxy}</p>;
  if (identity.kind === 'anonymous') return <p className="text-ink-soft">{who.nobody[accessControl]}</p>;
  const when = (atMs: number) => formatDue(atMs, nowMs, zone);
  return (
    <>
      <p className="text-ink-soft">{who.token(shortId(identity.id))}</p>
      {endsAtMs === null ? null : (
        <p className="text-ink-soft">
          {idleEndsAtMs === null || idleEndsAtMs >= endsAtMs
            ? who.endsOnly(when(endsAtMs))
            : who.ends(when(idleEndsAtMs), when(endsAtMs))}
        </p>
      )}
    </>
  );
}

function Out({ here }: { here: string }) {
  const m = useMessages();
  const { who } = m.identity;
  const [leaving, setLeaving] = useState(false);
  const [fault, setFault] = useState<Problem | null>(null);
  const leave = async () => {
    if (leaving) return;
    setLeaving(true);
    setFault(null);
    const problem = await signOut(AbortSignal.timeout(10_000)).catch(
      (): Problem => ({ code: 'unavailable', why: { code: 'server-not-reached', facts: {} } }),
    );
    if (problem === null) {
      tellOtherTabs();
      window.location.replace(paths.login());
      return;
    }
    setLeaving(false);
    setFault(problem);
  };
  return (
    <>
      <div className="mt-1 flex flex-wrap gap-2">
        <Button onClick={() => void leave()} aria-disabled={leaving ? true : undefined}>
          {leaving ? who.signingOut : who.signOut}
        </Button>
        <a
          href={paths.login(here)}
          className="inline-flex h-8 items-center rounded-[5px] px-2 font-medium text-ink-soft hover:bg-hover hover:text-ink"
        >
          {who.signInOther}
        </a>
      </div>
      <p role="alert" className="text-danger empty:hidden">
        {fault === null
          ? null
          : [
              who.notSignedOut,
              fault.why == null ? m.problems[fault.code].title : worded(fault.why, m.why),
            ].join(m.joint)}
      </p>
    </>
  );
}
