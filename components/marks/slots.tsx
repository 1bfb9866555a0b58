'use client';
import { useMessages } from '@/components/dom/locale';
import { usePlaces } from '@/components/list/stable-order';
import { useNow } from '@/components/live/clock';
import { Flash } from '@/components/ui/flash';
import { refusedUntilMs } from '@/lib/domain/delay-rest';
import { unlistedHolders } from '@/lib/domain/holders';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { formatRest } from '@/lib/i18n/format/format';
import { slotsWords } from '@/lib/i18n/holding';
import { type LampKind, lampsOf } from '@/lib/view/board-rows';
import { Lamp } from './lamp';

/** Most lamps. Further ones are only counted. */
const lampsMax = 6;

export function useLampWord(): (kind: LampKind) => string {
  const { verdicts, lampWords } = useMessages();
  const words = { ...verdicts, ...lampWords };
  return (kind) => words[kind].word;
}

/** Lamps, then `3/3 (1)`: recorded, limit, and really held where that differs. */
export function SlotMeter({ of }: { of: Lock | Semaphore }) {
  const m = useMessages();
  const { board } = m;
  const word = useLampWord();
  const slots = of.kind === 'lock' ? null : slotsWords(of, m);
  const lamps = usePlaces(lampsOf(of));
  const shown = lamps.length <= lampsMax ? lamps : lamps.slice(0, lampsMax - 1);
  const more = lamps.length - shown.length + (of.kind === 'lock' ? 0 : unlistedHolders(of));
  const text = of.kind === 'lock' ? board.lockStates[of.state] : (slots?.short ?? '');
  const spoken =
    slots === null
      ? text
      : `${slots.long}: ${lamps
          .slice(0, 20)
          .map((lamp) => word(lamp.kind))
          .join(', ')}`;
  return (
    <span className="flex items-center gap-2">
      <span className="flex shrink-0 items-center gap-1" aria-hidden="true">
        {shown.map((lamp, slot) => (
          // A slot keeps its place while its holder changes: the new lamp fades in where the old one stood.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is the identity here.
          <Lamp key={slot} kind={lamp.kind} holder={lamp.id} />
        ))}
        {more > 0 ? <span className="text-[12px] text-ink-dim">+{more}</span> : null}
      </span>
      <span aria-hidden="true" className="whitespace-nowrap md:ml-auto rounded-sm px-1 text-ink-soft">
        <Flash of={text}>{text}</Flash>
        <DelayRest of={of} />
      </span>
      <span className="sr-only">
        {spoken}
        <DelayRest of={of} />
      </span>
    </span>
  );
}

/** The rest ticks, so it stands outside the part that flashes at a change. */
function DelayRest({ of }: { of: Lock | Semaphore }) {
  return of.kind === 'lock' && of.state === 'delayed' ? <Rest lock={of} /> : null;
}

function Rest({ lock }: { lock: Lock }) {
  const { board, units } = useMessages();
  const nowMs = useNow();
  const untilMs = refusedUntilMs(lock, nowMs);
  return untilMs === null ? null : <> · {board.delayRest(formatRest(untilMs, nowMs, units))}</>;
}
