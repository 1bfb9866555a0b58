/** Replaces the content of the link. */
export function Message({ title, text }: { title: string; text: string }) {
  return (
    <main className="flex min-h-dvh flex-col justify-center gap-2 p-4">
      <h1 className="font-semibold text-[15px]">{title}</h1>
      <p className="max-w-[62ch] text-[13px] text-ink-soft">{text}</p>
    </main>
  );
}
