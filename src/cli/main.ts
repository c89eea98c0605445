import { run } from './program/program.ts'

// Who read the output has gone, as `| head` goes: stop as if told to, for nothing is lost.
let told = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' || told) return
    told = true
    if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(141)
  })
}

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: () => process.stdin,
})
