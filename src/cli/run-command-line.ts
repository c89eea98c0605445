import { askDoor } from './door/ask-door.ts'

/** Does what a command line says, and sets the exit code. */
export async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  // Who read the output has gone, as `| head` goes: stop as if told to, for nothing is lost.
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
