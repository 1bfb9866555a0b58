/** Runs once when the server starts, in every runtime that Next has; ours lives in Node only. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ startServer }, events, embedEvents] = await Promise.all([
    import('@/lib/server/entry/start'),
    import('@/app/api/v1/events/route'),
    import('@/app/embed/v1/events/route'),
  ]);
  await startServer({ '/api/v1/events': events.GET, '/embed/v1/events': embedEvents.GET });
}
