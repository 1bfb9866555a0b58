import { clsx } from 'clsx';
import { type ComponentProps, useId } from 'react';

/** The look of a control in which a person types or chooses; its height comes beside it. */
export const fieldLook =
  'w-full rounded-[5px] border border-line-strong bg-inset px-3 text-[14px] text-ink placeholder:text-ink-dim focus:border-brass disabled:opacity-60';

interface LabelledProps {
  readonly label: React.ReactNode;
  /** Screen readers read it with the control. */
  readonly help?: React.ReactNode;
  readonly children: (ids: { readonly id: string; readonly 'aria-describedby'?: string }) => React.ReactNode;
}

/** A control with its label above and its help below. */
export function Labelled({ label, help, children }: LabelledProps) {
  const id = useId();
  const helpId = `${id}-help`;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium text-[13px]">
        {label}
      </label>
      {children(help === undefined ? { id } : { id, 'aria-describedby': helpId })}
      {help === undefined ? null : (
        <p id={helpId} className="mt-1 text-[12px] text-ink-dim">
          {help}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> & Omit<LabelledProps, 'children'>;

/** One line of text. `aria-describedby` names what describes it besides its help. */
export function TextField({ label, help, className, 'aria-describedby': besides, ...input }: TextFieldProps) {
  return (
    <Labelled label={label} help={help}>
      {({ id, 'aria-describedby': helpId }) => (
        <input
          autoComplete="off"
          {...input}
          id={id}
          aria-describedby={clsx(helpId, besides) || undefined}
          className={clsx(fieldLook, 'h-9', className)}
        />
      )}
    </Labelled>
  );
}
