'use client';
/** The moment is in the address; its data is in this tab only. */
import { usePathname } from 'next/navigation';
import { useContext, useMemo, useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { useSingleKey } from '@/components/dom/keys';
import { useMessages } from '@/components/dom/locale';
import { StoppedClock, Time, useFirstNow, When } from '@/components/live/clock';
import { useAhead } from '@/components/live/first-part';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { FrozenSnapshot, InitialSnapshot, useLiveView, useSnapshot } from '@/lib/client/page-data';
import { paths } from '@/lib/client/paths';
import { serverClock } from '@/lib/client/server-clock';
import type { Parameter } from '@/lib/view/url-parameter';
import { changesSince, FreezeContext, type Frozen, Moments, useFreeze, useFrozen } from './frozen';

/** Formatting a later date would throw (ECMAScript, time values), and an address may hold anything. */
const instantMaxMs = 8.64e15;

const instantParameter: Parameter<number | null> = {
  read: (text) => {
    const atMs = text === null ? Number.NaN : Number.parseInt(text, 10);
    return atMs >= 0 && atMs <= instantMaxMs ? atMs : null;
  },
  write: (atMs) => (atMs === null ? null : String(atMs)),
};
/** The zone is required. Without one, each reader would see another instant. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 with its zone, or epoch milliseconds. Any other text must not look like the present. */
const pastParameter: Parameter<number | null> = {
  read: (text) => {
    if (text === null) return null;
    const atMs = /^\d+$/.test(text) ? Number(text) : isoTime.test(text) ? Date.parse(text) : Number.NaN;
    return atMs >= 0 && atMs <= instantMaxMs ? atMs : Number.NaN;
  },
  write: (atMs) => (atMs === null ? null : new Date(atMs).toISOString().replace('.000Z', 'Z')),
};
const parameters = { frozen: instantParameter, at: pastParameter };

/** Every page below can be frozen by `?frozen=<epoch ms>`; the board shows the past by `?at=`. */
export function FreezeProvider({ children }: { children: React.ReactNode }) {
  const view = useLiveView();
  const initial = useContext(InitialSnapshot);
  const firstNowMs = useFirstNow();
  const [{ frozen: askedMs, at }, change] = useAddress(parameters);
  const path = (usePathname() as string | null) ?? window.location.pathname;
  const pastMs = path === paths.board() ? at : null;
  const go = (atMs: number | null) => change({ at: atMs, frozen: null });
  const [moments] = useState(() => new Moments());
  const take = () => {
    const present = view.snapshot.get();
    // The server read its snapshot when it rendered it.
    return { snapshot: present, takenMs: present === initial ? firstNowMs : serverClock.now() };
  };
  const ahead = useAhead() !== null;
  // A frozen moment needs the whole world.
  const frozen = askedMs === null || ahead || pastMs !== null ? null : moments.of(askedMs, take);
  const toggle = () => {
    if (pastMs !== null) {
      go(null);
      return;
    }
    if (ahead) return;
    if (askedMs !== null) {
      change({ frozen: null });
      return;
    }
    const nowMs = serverClock.now();
    // A change before the next render would enter the picture of an earlier moment.
    moments.of(nowMs, () => ({ ...take(), takenMs: nowMs }));
    change({ frozen: nowMs });
  };
  useSingleKey('f', toggle);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each render makes the functions, which follow the address.
  const freeze = useMemo(() => ({ frozen, pastMs, toggle, go }), [frozen, pastMs, askedMs, ahead]);
  return <FreezeContext value={freeze}>{children}</FreezeContext>;
}

export function FrozenPage({ children }: { children: React.ReactNode }) {
  const frozen = useFrozen();
  return (
    <FrozenSnapshot value={frozen?.snapshot ?? null}>
      <StoppedClock atMs={frozen === null ? null : Math.floor(frozen.takenMs / 1000) * 1000}>
        {children}
      </StoppedClock>
    </FrozenSnapshot>
  );
}

/** The button that freezes the page; while it is frozen, its band has the way back. */
export function FreezeButton() {
  const { freeze: texts } = useMessages().desk;
  const { frozen, toggle } = useFreeze();
  // A frozen moment needs the whole world.
  if (useAhead()?.large != null) return null;
  return (
    <button
      type="button"
      title={texts.help}
      aria-keyshortcuts="f"
      onClick={toggle}
      className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-[5px] border border-line px-2.5 text-[13px] text-ink-soft hover:border-line-strong hover:text-ink"
    >
      {frozen === null ? <Icon name="pause" size={13} /> : <Icon name="play" size={13} />}
      {frozen === null ? texts.button : texts.resume}
      <Key name="f" />
    </button>
  );
}

function Key({ name }: { name: string }) {
  return (
    <span aria-hidden="true" className="hidden lg:inline">
      <kbd className="rounded border border-current/40 px-1 text-[11px] leading-4">{name}</kbd>
    </span>
  );
}

/** The band on a frozen page: since when, and how much has changed. Nothing otherwise. */
export function FreezeBand() {
  const frozen = useFrozen();
  return frozen === null ? null : <Band frozen={frozen} />;
}

function Band({ frozen }: { frozen: Frozen }) {
  const { freeze: texts } = useMessages().desk;
  const { toggle } = useFreeze();
  const { askedMs, takenMs } = frozen;
  return (
    <section
      aria-label={texts.label}
      className="sticky top-0 z-20 flex flex-wrap items-center gap-x-4 gap-y-1.5 border-brass border-b bg-brass-wash px-4 py-1.5 text-[13px] sm:px-6 md:top-(--header-height)"
    >
      <p role="status" className="max-w-[100ch]">
        {askedMs === takenMs ? (
          <strong className="font-semibold">
            {texts.frozenAt[0]}
            <Time atMs={takenMs} />
            {texts.frozenAt[1]}
          </strong>
        ) : (
          <>
            {texts.fromLink[0]}
            <When atMs={askedMs} />
            {texts.fromLink[1]}
            <When atMs={takenMs} />
            {texts.fromLink[2]}
          </>
        )}
      </p>
      <p>
        <Changes frozen={frozen} />
      </p>
      <Button tone="primary" onClick={toggle} aria-keyshortcuts="f" className="h-7!">
        {texts.resume}
        <Key name="f" />
      </Button>
    </section>
  );
}

function Changes({ frozen }: { frozen: Frozen }) {
  const { freeze: texts } = useMessages().desk;
  const present = useSnapshot();
  const changed = useMemo(() => changesSince(frozen.snapshot, present), [frozen.snapshot, present]);
  return <>{texts.changed(changed)}</>;
}
