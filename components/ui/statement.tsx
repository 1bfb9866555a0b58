/** The sentence on top of a list: the state of all of it, smaller on a phone. */
export function Statement({ children }: { children: React.ReactNode }) {
  return (
    <p className="min-h-14 max-w-[70ch] text-balance text-[21px] leading-7 tracking-[-0.01em] max-md:text-wrap max-md:min-h-11 max-md:px-4 max-md:sm:px-6 max-md:pt-3 max-md:pb-2.5 max-md:text-[17px] max-md:leading-[22px]">
      {children}
    </p>
  );
}
