import Link from 'next/link';
import ConsoleLayout from '@/app/(console)/layout';
import { en } from '@/lib/client/messages';
import { paths } from '@/lib/client/paths';

/** An address that no page answers to, in the frame of every page, from where one can go on. */
export default function NotFound() {
  const texts = en.shell.notFound;
  return (
    <ConsoleLayout>
      <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
        <h1 className="font-medium text-[21px]">{texts.title}</h1>
        <p className="text-ink-soft">{texts.text}</p>
        <Link href={paths.board()} className="text-brass-strong underline underline-offset-3">
          {texts.toBoard}
        </Link>
      </div>
    </ConsoleLayout>
  );
}
