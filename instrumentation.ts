/** Next runs this once as it starts, in every runtime that it has; our server lives in Node only (`server.js`). */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ startServer }, events, embedEvents] = await Promise.all([
    import('@/lib/server/entry/start'),
    import('@/app/api/v1/events/route'),
    import('@/app/embed/v1/events/route'),
  ]);
  await startServer({ '/api/v1/events': events.GET, '/embed/v1/events': embedEvents.GET });
}
