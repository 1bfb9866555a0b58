/** A part of a page: its name in the margin, its content beside it, a hairline above. Stacked when narrow. */
export function Section({
  title,
  note,
  children,
}: {
  title: string;
  note?: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-2 border-t border-line py-4 md:grid-cols-[9.5rem_minmax(0,1fr)]">
      <div className="md:pt-px">
        <h2 className="text-[13px] font-medium text-ink-soft">{title}</h2>
        {note == null ? null : <p className="mt-1 text-[12px] leading-4 text-ink-dim">{note}</p>}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

/**
 * Names and values in two columns. The first one's width is fixed: by its longest name it would move every value when
 * that name arrives last over a slow line. Longer names wrap.
 */
export function Facts({ children }: { children: React.ReactNode }) {
  return (
    <dl className="grid content-start grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1 text-[13px]">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="min-w-0 break-words text-ink-dim">{name}</dt>
      <dd className="min-w-0 break-words text-ink">{children}</dd>
    </>
  );
}
