/** Runs once when the server starts, in every runtime that Next has; ours lives in Node only. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { startServer } = await import('@/lib/server/start');
  startServer();
}
