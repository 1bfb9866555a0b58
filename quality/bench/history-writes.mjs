// Holders of locks, in a process of their own. Each change releases a lock, or takes it with its session (`SESSION`).
import http from 'node:http';

const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
const [host, port] = (process.env.CONSUL ?? '').split(':');
const perSecond = Number(process.env.PER_SECOND);
const count = 500;

const put = (path, body = '') =>
  new Promise((resolve, reject) => {
    http
      .request({ host, port, path: `/v1${path}`, method: 'PUT', agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () => resolve(text));
      })
      .on('error', reject)
      .end(body);
  });

const sessions = [];
for (let i = 0; i < count; i += 1)
  sessions.push(JSON.parse(await put('/session/create', process.env.SESSION)).ID);
const held = new Array(count).fill(false);
const busy = new Array(count).fill(false);
const change = async (i) => {
  if (busy[i]) return;
  busy[i] = true;
  const verb = held[i] ? 'release' : 'acquire';
  await put(`/kv/bench/lock-${i}?${verb}=${sessions[i]}&flags=3304740253564472344`, 'x');
  held[i] = !held[i];
  busy[i] = false;
  made += 1;
};
let made = 0;
let begun = 0;
const fromMs = performance.now();
setInterval(() => {
  const due = ((performance.now() - fromMs) / 1_000) * perSecond;
  for (; begun < due; begun += 1) void change(begun % count);
}, 10);
process.on('message', () => process.send?.(made));
