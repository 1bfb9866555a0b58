export const dynamic = 'force-dynamic';

/** The process answers. A restart of this server would not mend Consul. */
export function GET(): Response {
  return Response.json({ status: 'ok' }, { headers: { 'cache-control': 'no-store' } });
}
