'use client';
/** The person in the header, or the way in. */
import { usePathname, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { useSessionState } from '@/components/live/session-root';
import { Icon } from '@/components/ui/icon';
import { paths } from '@/lib/client/paths';
import type { Visitor } from '@/lib/domain/visitor';
import { nameOf } from '@/lib/view/identity-name';

const whoMenu = lazyPart(async () => (await import('./who-menu')).WhoMenu);

const look =
  'inline-flex h-8 min-w-8 items-center max-md:min-h-[44px] max-md:min-w-[44px] justify-center gap-1.5 rounded-[5px] px-1.5 text-[13px] text-ink-soft hover:bg-hover hover:text-ink';

/** The page to come back to. */
function useHere(): string {
  const path = usePathname();
  const query = useSearchParams().toString();
  return query === '' ? path : `${path}?${query}`;
}

export function Who() {
  const state = useSessionState();
  const here = useHere();
  const { who } = useMessages().identity;
  if (state.at === 'out') return null;
  const { session } = state;
  if (session.identity.kind === 'anonymous' && session.accessControl !== 'off')
    return (
      // The sign-in is another document, so this is a whole visit.
      <a href={paths.login(here)} className={look}>
        <Icon name="sign-in" size={16} />
        <span className="sr-only lg:not-sr-only">{who.signIn}</span>
      </a>
    );
  return <Opener session={session} here={here} />;
}

function Opener({ session, here }: { session: Visitor; here: string }) {
  const m = useMessages();
  const [requested, setRequested] = useState(false);
  const Menu = whoMenu.usePart();
  if (requested && Menu !== null) return <Menu session={session} here={here} look={look} />;
  const name = nameOf(session.identity, m);
  const label = m.identity.who.label(name);
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-haspopup="dialog"
      aria-expanded={false}
      onPointerEnter={() => void whoMenu.load()}
      onClick={() => {
        setRequested(true);
        void whoMenu.load().then(setRequested);
      }}
      className={look}
    >
      <Icon name="person" size={16} />
      {session.identity.kind === 'anonymous' ? null : (
        <span className="hidden max-w-36 truncate min-[90rem]:inline">{name}</span>
      )}
    </button>
  );
}
