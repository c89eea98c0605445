import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Sandbox } from '../ports/sandbox.ts'
import { startProgram } from '../processes/start-program.ts'
import { runInside } from './inside.ts'
import type { Range } from './range.ts'

/**
 * A Node closes the descriptors that it finds right after its own three, so it is handed one far
 * behind, too.
 */
const slots = 40

/**
 * What code in a sandbox sees through a folder that the process which made the sandbox was itself
 * handed open, as a shell or an editor may do. That process is one of its own: what this one opens
 * is never handed on.
 */
export async function lookThroughInherited(range: Range, secretFolder: string): Promise<string> {
  const { repository } = await range.newTarget()
  const [program = '', ...args] = range.command
  const looking = ['doctor', '--look-inside', await range.newFolder(), '--repo', repository]
  const sandbox = range.flags.sandbox ? ['--sandbox', range.flags.sandbox] : []
  await using folder = await open(secretFolder, 'r')
  const stdio = ['ignore', 'pipe', 'pipe', folder.fd, ...Array<'ignore'>(slots).fill('ignore'), folder.fd] as const
  const child: ChildProcess = startProgram(program, [...args, ...looking, ...sandbox], {
    ...{ env: range.env, cwd: '/', stdio: [...stdio], signal: range.signal, killSignal: 'SIGKILL' },
  })
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no output')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** What that process does: `sandbox` is of the repository that it was named. */
export async function lookInside(sandbox: Sandbox, folder: string): Promise<string> {
  const look =
    'cat /proc/self/fd/*/secret.txt /proc/1/fd/*/secret.txt /proc/$PPID/fd/*/secret.txt 2>/dev/null; echo looked'
  const at = { sandbox, signal: AbortSignal.timeout(30_000), newFolder: async () => folder }
  const seen = [await runInside(at, look), await runInside(at, look, { place: 'an agent' })]
  return seen.join(', ')
}
