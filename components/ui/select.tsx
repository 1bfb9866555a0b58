import { clsx } from 'clsx';
import { Icon } from './icon';

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  /** Set apart from the others because it narrows what is shown. */
  readonly active: boolean;
}

/** The platform's own select, for keyboard, touch and screen reader. */
export function Select({ label, value, options, onChange, active }: SelectProps) {
  return (
    <label
      data-on={active ? '' : undefined}
      className={clsx(
        'relative inline-flex h-7 shrink-0 items-center rounded-[5px] border pl-2.5 text-[13px] focus-within:outline-2 focus-within:outline-brass',
        active ? 'border-brass bg-brass-wash text-ink' : 'border-line text-ink-soft hover:border-line-strong',
      )}
    >
      <span className="text-ink-dim">{label}</span>
      <select
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="field-sizing-content h-full max-w-44 cursor-pointer appearance-none truncate bg-transparent pr-7 pl-1.5 text-ink outline-none [&>option]:bg-raised [&>option]:text-ink"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      <Icon name="open" size={13} className="pointer-events-none absolute right-2 text-ink-dim" />
    </label>
  );
}
