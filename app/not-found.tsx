import Link from 'next/link';
import { en } from '@/lib/client/messages';
import { paths } from '@/lib/client/paths';

/** An address that no page answers to. */
export default function NotFound() {
  const texts = en.shell.notFound;
  return (
    <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
      <h1 className="font-medium text-[21px]">{texts.title}</h1>
      <p className="text-ink-soft">{texts.text}</p>
      <Link href={paths.board()} className="text-brass-strong underline underline-offset-3">
        {texts.toBoard}
      </Link>
    </div>
  );
}
