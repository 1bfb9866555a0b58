/** One replica: HTTP in front of the actions, on a given Consul and store; prints its port. */
import { createServer } from 'node:http';
import { openStore } from '@/lib/server/store/store';
import { asked, openDesk } from '@/test/support/desk';

const store = openStore(JSON.parse(process.env.STORE ?? ''));
const desk = openDesk({
  consul: process.env.CONSUL_HTTP_ADDR ?? '',
  store,
  replica: process.env.REPLICA ?? '',
  watch: false,
  followMs: 200,
  openMs: Number(process.env.OPEN_MS),
  sweepMs: 500,
});
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', async () => {
    const answer = await desk.post(asked(JSON.parse(Buffer.concat(parts).toString())));
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
process.once('SIGTERM', async () => {
  server.close();
  await desk.close();
  await store.close();
  process.exit(0);
});
