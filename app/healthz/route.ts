export const dynamic = 'force-dynamic';

/** The process answers. Says nothing of Consul: a restart of this server would not mend that. */
export function GET(): Response {
  return Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } });
}
