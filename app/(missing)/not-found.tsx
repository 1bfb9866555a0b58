import Link from 'next/link';
import { Frame } from '@/app/(console)/frame';
import { paths } from '@/lib/client/paths';
import { languages } from '@/lib/i18n/messages';
import { requestLanguage, titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.shell.notFound.title);

/** An address without a page, in the frame of every page. */
export default async function NotFound() {
  const texts = languages[await requestLanguage()].shell.notFound;
  return (
    <Frame>
      <div className="flex max-w-prose flex-col items-start gap-3 px-4 py-10 sm:px-6">
        <h1 className="font-medium text-[21px]">{texts.title}</h1>
        <p className="text-ink-soft">{texts.text}</p>
        <Link href={paths.board()} className="text-brass-strong underline underline-offset-3">
          {texts.toBoard}
        </Link>
      </div>
    </Frame>
  );
}
