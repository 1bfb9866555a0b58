import { clsx } from 'clsx';

type Tone = 'plain' | 'quiet' | 'danger' | 'primary';

const tones: Readonly<Record<Tone, string>> = {
  plain: 'border-line-strong bg-raised text-ink hover:border-brass hover:text-brass-strong',
  quiet: 'border-transparent text-ink-soft hover:bg-hover hover:text-ink',
  danger: 'border-danger/60 bg-danger-wash text-danger hover:border-danger hover:text-danger-strong',
  primary: 'border-brass bg-brass text-on-brass hover:bg-brass-strong hover:border-brass-strong',
};

interface ButtonProps extends React.ComponentProps<'button'> {
  readonly tone?: Tone;
}

/**
 * A button. With `aria-disabled` it stays in the tab order, so that the reason can be read; the caller keeps it from
 * acting.
 */
export function Button({ tone = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={clsx(
        'inline-flex h-8 items-center justify-center gap-1.5 whitespace-nowrap rounded-[5px] border px-3 text-[13px] font-medium',
        tones[tone],
        'aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:bg-transparent aria-disabled:text-ink-dim',
        className,
      )}
      {...rest}
    />
  );
}
