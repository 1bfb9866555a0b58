'use client';
import { useAllMessages } from '@/components/dom/locale';
import { useSessionState } from '@/components/live/session-root';
import { TextField } from '@/components/ui/text-field';
import { type Action, descriptorOf } from '@/lib/domain/actions/action';
import { limitMax } from '@/lib/domain/actions/semaphore';
import { formatCount, formatDuration } from '@/lib/i18n/format/format';
import { isSameWay } from '@/lib/view/actions/rights-asked';
import { nameOf } from '@/lib/view/identity-name';

interface HowProps {
  readonly action: Action;
  /** The reasons why each way, in their order, is not allowed; `null` without a known reason. */
  readonly refused: readonly (string | null)[];
  readonly locked: boolean;
  /** The lock-delay of the session that one way ends; `null`: unknown. */
  readonly lockDelayMs: number | null;
  readonly onChange: (action: Action) => void;
}

/**
 * Two ways to free something, each with its consequence. A refused way can still be selected: its plan shows what
 * another person could do.
 */
export function HowChoice({ action, refused, locked, lockDelayMs, onChange }: HowProps) {
  const { action: words, units } = useAllMessages();
  const { how } = words;
  const { lock, semaphore } = how['destroy-session'];
  const delay = lockDelayMs === null || lockDelayMs === 0 ? null : formatDuration(lockDelayMs, units);
  if (refused.length < 2) return null;
  const texts = {
    'destroy-session': 'key' in action ? { name: lock.name, text: lock.text(delay) } : semaphore,
    'hand-over': how['hand-over'],
    'slot-only': how['slot-only'],
  };
  const ways = (descriptorOf(action).ways ?? [])
    .map((how) => ({ ...action, how }) as Action)
    .flatMap((next) => ('how' in next ? [{ ...texts[next.how], next }] : []));
  return (
    <fieldset disabled={locked} className="grid gap-2 sm:grid-cols-2">
      <legend className="sr-only">{how.label}</legend>
      {ways.map((way, i) => (
        <label
          key={way.next.how}
          className="flex cursor-pointer gap-2.5 rounded-[5px] border border-line p-3 hover:border-line-strong has-checked:border-brass has-checked:bg-brass-wash has-focus-visible:outline-2 has-focus-visible:outline-brass"
        >
          <input
            type="radio"
            name="how"
            checked={isSameWay(action, way.next)}
            onChange={() => onChange(way.next)}
            className="mt-0.5 size-3.5 shrink-0 accent-brass"
          />
          <span>
            <span className="block font-medium text-[13px]">{way.name}</span>
            <span className="mt-0.5 block text-[12px] text-ink-soft leading-4.5">{way.text}</span>
            {refused[i] == null ? null : (
              <span className="mt-1 block text-[12px] text-danger leading-4.5">{refused[i]}</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface NumberProps {
  readonly label: string;
  /** Shows the present number. */
  readonly help: string;
  readonly value: string;
  readonly locked: boolean;
  readonly onChange: (value: string) => void;
}

/** A limit or a number of permits. The typed text is never reformatted. */
export function NumberField({ label, help, value, locked, onChange }: NumberProps) {
  const { resize } = useAllMessages().action;
  const wrong = value.trim() !== '' && !/^[1-9]\d{0,5}$/.test(value.trim());
  return (
    <TextField
      label={label}
      help={`${help} ${wrong ? resize.invalid(formatCount(limitMax)) : ''}`}
      inputMode="numeric"
      value={value}
      disabled={locked}
      onChange={(event) => onChange(event.target.value)}
      className="max-w-32"
    />
  );
}

interface ReasonProps {
  readonly value: string;
  readonly needed: boolean;
  readonly max: number;
  readonly locked: boolean;
  readonly onChange: (value: string) => void;
}

export function ReasonField({ value, needed, max, locked, onChange }: ReasonProps) {
  const m = useAllMessages();
  const { action } = m;
  const state = useSessionState();
  const who = state.at === 'in' ? state.session.identity : state.was;
  return (
    <TextField
      label={
        <>
          {action.reason}{' '}
          {needed ? null : <span className="font-normal text-ink-dim">{action.reasonOptional}</span>}
        </>
      }
      help={action.reasonHelp(who.kind === 'anonymous' ? null : nameOf(who, m))}
      value={value}
      maxLength={max}
      disabled={locked}
      required={needed}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface ConfirmProps {
  readonly name: string;
  readonly value: string;
  readonly locked: boolean;
  readonly onChange: (value: string) => void;
}

/** The name, typed: the ceremony for a subject that is alive. */
export function ConfirmName({ name, value, locked, onChange }: ConfirmProps) {
  const [before, object, after] = useAllMessages().action.confirm(name);
  return (
    <TextField
      label={
        <>
          {before} <code className="rounded-sm bg-inset px-1.5 py-0.5 text-brass-strong">{object}</code>{' '}
          {after}
        </>
      }
      value={value}
      disabled={locked}
      autoCapitalize="off"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      className="font-mono"
    />
  );
}
