import { askDoor } from './door/ask-door.ts'

/** Runs a command line and sets the exit code. */
export async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  // The reader of the output may close it, as `| head` does. That stops the command like a signal,
  // and loses nothing.
  let told = false
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' || told) return
      told = true
      if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(141)
    })
  }
  const answered = await askDoor(argv, env)
  if ('exitCode' in answered) process.exitCode = answered.exitCode
  else {
    const { runHere } = await import('./program/run-here.ts')
    process.exitCode = await runHere(argv, env, answered)
  }
}
