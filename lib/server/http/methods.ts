/**
 * Any other method gets a 405 with `allow` before our code runs. `test/rules.test.ts` compares this table with the
 * routes' exports.
 */

/** Methods by route. Any other address is a page, which is only read. */
export const methods: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/actions': ['POST'],
  '/api/v1/audit': ['GET', 'HEAD'],
  '/api/v1/audit/chain': ['GET', 'HEAD'],
  '/api/v1/events': ['GET', 'HEAD'],
  '/api/v1/findings': ['GET', 'HEAD'],
  '/api/v1/grants': ['GET', 'HEAD', 'POST', 'PATCH'],
  '/api/v1/history': ['GET', 'HEAD'],
  '/api/v1/history/at': ['GET', 'HEAD'],
  '/api/v1/history/columns': ['POST'],
  '/api/v1/history/figures': ['GET', 'HEAD'],
  '/api/v1/opening': ['GET', 'HEAD'],
  '/api/v1/openapi': ['GET', 'HEAD'],
  '/api/v1/openapi.json': ['GET', 'HEAD'],
  '/api/v1/probe': ['POST'],
  '/api/v1/rights': ['POST'],
  '/api/v1/session': ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  '/api/v1/snapshot': ['GET', 'HEAD'],
  '/embed/v1/badge.svg': ['GET', 'HEAD'],
  '/embed/v1/events': ['GET', 'HEAD'],
  '/embed/v1/history': ['GET', 'HEAD'],
  '/embed/v1/snapshot': ['GET', 'HEAD'],
  '/healthz': ['GET', 'HEAD'],
  '/metrics': ['GET', 'HEAD'],
  '/readyz': ['GET', 'HEAD'],
};

const reading: readonly string[] = ['GET', 'HEAD'];

/** `null`: an unknown address below the API, left to the router. */
export function methodsOf(pathname: string): readonly string[] | null {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
  if (Object.hasOwn(methods, path)) return methods[path] ?? null;
  return path === '/api' || path.startsWith('/api/') ? null : reading;
}
