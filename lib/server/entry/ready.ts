/**
 * `GET /readyz`: 200 while the server's data can be trusted, 503 otherwise, with the state in both.
 *
 * A server without its own token, before a Consul that asks for tokens, sees nothing; people see with their own tokens.
 * Such a server is ready as long as Consul answers.
 *
 * A complete watch that is a few seconds behind (a busy world, a slow line) shows this on every screen, and stays
 * ready. Its replicas watch the same Consul, and would all leave their balancer together. So does one of several sources
 * that is followed: the status names the worst of them.
 */
import { partsOf, type SourceState } from '@/lib/domain/source-state';
import type { Runtime } from '@/lib/server/runtime';

const isFollowed = ({ state, endsSeenSinceMs }: SourceState) =>
  state === 'live' || (state === 'catching-up' && endsSeenSinceMs !== null);

export async function answerReady(
  runtime: Pick<Runtime, 'viewpoints' | 'backend' | 'accessControl'>,
): Promise<Response> {
  const { source } = runtime.viewpoints.own.hub.snapshot();
  const followed = partsOf(source).some(isFollowed);
  const peoplesOwn =
    !followed && !runtime.backend.hasOwnCredential && (await runtime.accessControl()) === 'on';
  return Response.json(
    { status: peoplesOwn ? 'sign-in' : source.state },
    { status: followed || peoplesOwn ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}
