import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Sandbox } from '../ports/sandbox.ts'
import { startProgram } from '../processes/start-program.ts'
import { runInside } from './inside.ts'
import type { Range } from './range.ts'

/**
 * Node closes the inherited descriptors right after its own three, so the folder is also passed at
 * a high number.
 */
const slots = 40

/**
 * The view of code in a sandbox through a folder descriptor that the sandbox's creator has
 * inherited, as a shell or an editor may pass it on. The creator is a separate process, since
 * descriptors opened by this process are not inherited.
 */
export async function lookThroughInherited(range: Range, secretFolder: string): Promise<string> {
  const { repository } = await range.newTarget()
  const [program = '', ...args] = range.command
  const looking = ['doctor', '--look-inside', await range.newFolder(), '--repo', repository]
  const sandbox = range.flags.sandbox ? ['--sandbox', range.flags.sandbox] : []
  await using folder = await open(secretFolder, 'r')
  const stdio = ['ignore', 'pipe', 'pipe', folder.fd, ...Array<'ignore'>(slots).fill('ignore'), folder.fd] as const
  const child: ChildProcess = startProgram(program, [...args, ...looking, ...sandbox], {
    env: range.env,
    cwd: '/',
    stdio: [...stdio],
    signal: range.signal,
    killSignal: 'SIGKILL',
  })
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no output')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

/**
 * The part of that separate process: `sandbox` belongs to the repository named on its command line.
 */
export async function lookInside(sandbox: Sandbox, folder: string): Promise<string> {
  const look =
    'cat /proc/self/fd/*/secret.txt /proc/1/fd/*/secret.txt /proc/$PPID/fd/*/secret.txt 2>/dev/null; echo looked'
  const at = { sandbox, signal: AbortSignal.timeout(30_000), newFolder: async () => folder }
  const seen = [await runInside(at, look), await runInside(at, look, { place: 'an agent' })]
  return seen.join(', ')
}
