// weir run --view as tests of its page start it.
import { spawn } from 'node:child_process';

// A run whose page is served: its address, and how it ends.
export async function start(weir, args) {
  const child = spawn(weir, ['run', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { child, out: '', err: '', address: '', ended: null };
  child.stderr.on('data', (d) => { run.err += d; });
  run.ended = new Promise((done) => child.on('close', (status) => done(status)));
  run.address = await new Promise((found, failed) => {
    child.stdout.on('data', (d) => {
      run.out += d;
      const line = /^http:\S+/m.exec(run.out);
      if (line && run.out.includes('\n')) found(line[0]);
    });
    child.on('close', (status) => failed(new Error('weir ended with ' + status + ': ' + run.err)));
  });
  return run;
}
