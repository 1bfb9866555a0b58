import { headers } from 'next/headers';
import { connection } from 'next/server';
import { captureScript } from '@/components/dom/event-capture';
import { SignIn } from '@/components/identity/sign-in';
import { pathAfterSignIn } from '@/lib/client/paths';
import { partsOf } from '@/lib/domain/source-state';
import { pageSession } from '@/lib/server/entry/page-caller';
import { titled } from '@/lib/server/http/accept-language';
import { mayLocate } from '@/lib/server/http/access';
import { runtime } from '@/lib/server/runtime';

export const generateMetadata = titled((m) => m.identity.login.title);

interface Props {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

export default async function LoginPage({ searchParams }: Props) {
  await connection();
  const { next } = await searchParams;
  const { visitor, problem } = await pageSession();
  const { env, backend, viewpoints } = runtime();
  // People sign in to the first of several sources.
  const [first] = partsOf(viewpoints.own.hub.snapshot().source);
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <>
      <script nonce={nonce} suppressHydrationWarning>
        {captureScript}
      </script>
      <SignIn
        session={visitor}
        problem={problem}
        next={pathAfterSignIn((Array.isArray(next) ? next[0] : next) ?? null)}
        place={
          mayLocate(env, visitor.why)
            ? { origin: first?.origin || backend.origin, datacenter: first?.datacenter ?? null }
            : null
        }
      />
    </>
  );
}
