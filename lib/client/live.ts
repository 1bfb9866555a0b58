import type { QueryClient } from '@tanstack/react-query';

/** Starts the stream; returns what ends it. */
export function startLive(_options: { client: QueryClient }): () => void {
  return () => {};
}
