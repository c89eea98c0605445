import { startProgram } from '../../../processes/start-program.ts'
import type { ContainerClient } from './client.ts'
import { containerFolder } from './container-folder.ts'

/**
 * Standard input ends without a line when the owner dies. Its container may still be starting then,
 * hence several attempts.
 */
const script = `read -r _ && exit
folder=$1
shift
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  "$@" && break
  sleep 0.5
done
rm -rf -- "$folder"`

/**
 * Starts a process that kills the container if this process is killed, since a container survives
 * the program that started it. Call the result once the container is gone.
 */
export function guard(client: ContainerClient, name: string): () => void {
  const guardian = startProgram(
    '/bin/sh',
    ['-c', script, 'sh', containerFolder(name), ...client.argv(['kill', name])],
    {
      cwd: '/',
      env: { ...client.hostEnv },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  )
  // Without the guard the container becomes a leftover, which the next start removes.
  guardian.on('error', () => undefined)
  guardian.stdin.on('error', () => undefined)
  return () => guardian.stdin.end('\n')
}
