/** Replaces an empty list: the reason, and the next step. */
export function Empty({
  title,
  text,
  children,
}: {
  title: React.ReactNode;
  text?: string;
  children?: React.ReactNode;
}) {
  return (
    <div className="flex flex-col items-start gap-2 px-4 py-10 sm:px-6">
      <p className="text-[15px] font-medium text-ink">{title}</p>
      {text === undefined ? null : <p className="max-w-prose text-ink-soft">{text}</p>}
      {children}
    </div>
  );
}
