// Another person, in a process of its own, who repeats a small request and reports the time of each answer.
import http from 'node:http';

const agent = new http.Agent({ keepAlive: true });
const everyMs = 20;
let waits = [];
let going = false;

const ask = ({ port, path, localAddress }) =>
  new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, localAddress, agent }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`)),
        );
      })
      .on('error', reject);
  });

process.on('message', async ({ begin }) => {
  if (begin === undefined) {
    going = false;
    return;
  }
  going = true;
  waits = [];
  try {
    while (going) {
      const from = performance.now();
      await ask(begin);
      waits.push(performance.now() - from);
      if (waits.length === 1) process.send({ began: true });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    process.send({ waits });
  } catch (error) {
    process.send({ failed: String(error) });
  }
});
