/** Who may frame an embed. */
import type { NextRequest } from 'next/server';

/** Sources for `frame-ancestors` of this request for an embed. Nobody, as there are no grants yet. */
export async function frameAncestors(_request: NextRequest): Promise<string> {
  return "'none'";
}
