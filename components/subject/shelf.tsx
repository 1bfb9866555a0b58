'use client';
import { useMessages } from '@/components/dom/locale';
import { usePlaces } from '@/components/list/stable-order';
import { Lamp } from '@/components/marks/lamp';
import { useLampWord } from '@/components/marks/slots';
import { Flash } from '@/components/ui/flash';
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf, unlistedHolders } from '@/lib/domain/holders';
import { type Lock, type Semaphore, shortId } from '@/lib/domain/model';
import { lampsOf } from '@/lib/view/board-rows';

/** Slots drawn one by one; the rest is only counted. */
const slotsMax = 60;

/** The slots as a shelf of lamps, each with its holder's name and its word. */
export function Shelf({ of }: { of: Lock | Semaphore }) {
  const { board } = useMessages();
  const word = useLampWord();
  const lamps = usePlaces(lampsOf(of));
  const more = Math.max(0, lamps.length - slotsMax) + (of.kind === 'semaphore' ? unlistedHolders(of) : 0);
  const holders = holdersOf(of);
  const bySession = capabilities[of.layout].holds === 'session';
  return (
    <ol className="flex flex-wrap gap-px overflow-hidden rounded-[5px] border border-line bg-line">
      {lamps.slice(0, slotsMax).map((lamp, slot) => {
        const holder = holders.find((one) => one.sessionId === lamp.id);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a slot keeps its place while its holder changes.
          <li key={slot} className="flex min-w-36 flex-1 basis-40 items-center gap-3 bg-panel px-4 py-3">
            <Lamp kind={lamp.kind} holder={lamp.id} size={24} className="lamp-lit" />
            <span className="min-w-0">
              <span className="block truncate font-medium" title={holder?.sessionId}>
                <Flash of={lamp.id}>
                  {holder === undefined
                    ? '–'
                    : holder.verdict === 'ghost' && bySession
                      ? shortId(holder.sessionId)
                      : holder.label}
                </Flash>
              </span>
              <span className="block text-[12px] text-ink-dim">{word(lamp.kind)}</span>
            </span>
          </li>
        );
      })}
      {more > 0 ? (
        <li className="flex items-center bg-panel px-4 py-3 text-ink-dim">{board.more(more)}</li>
      ) : null}
    </ol>
  );
}
