/**
 * What may be asked of which address, so that everything else is answered before anything of ours runs: 405, with what
 * is allowed. `test/rules.test.ts` compares this table with what the routes export.
 */

/** Of each route. An address that is not here is a page: it is read, and nothing else. */
export const methods: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/actions': ['POST'],
  '/api/v1/audit': ['GET', 'HEAD'],
  '/api/v1/audit/chain': ['GET', 'HEAD'],
  '/api/v1/events': ['GET', 'HEAD'],
  '/api/v1/findings': ['GET', 'HEAD'],
  '/api/v1/grants': ['GET', 'HEAD', 'POST', 'PATCH'],
  '/api/v1/opening': ['GET', 'HEAD'],
  '/api/v1/openapi': ['GET', 'HEAD'],
  '/api/v1/openapi.json': ['GET', 'HEAD'],
  '/api/v1/probe': ['POST'],
  '/api/v1/rights': ['POST'],
  '/api/v1/session': ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  '/api/v1/snapshot': ['GET', 'HEAD'],
  '/embed/v1/badge.svg': ['GET', 'HEAD'],
  '/embed/v1/events': ['GET', 'HEAD'],
  '/embed/v1/snapshot': ['GET', 'HEAD'],
  '/healthz': ['GET', 'HEAD'],
  '/metrics': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
};

const reading: readonly string[] = ['GET', 'HEAD'];

/** `null`: below the API, but not an address that is known here; the router knows what to say. */
export function methodsOf(pathname: string): readonly string[] | null {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
  if (Object.hasOwn(methods, path)) return methods[path] ?? null;
  return path === '/api' || path.startsWith('/api/') ? null : reading;
}
