import { DrydockError } from '../../../domain/drydock-error.ts'
import { systemPath } from '../../../processes/host-path.ts'
import { endedBy, runInGroup } from '../../../processes/run-in-group.ts'
import type { GitOptions } from '../git.ts'

type Options = Pick<GitOptions, 'signal' | 'spawned'>

/**
 * A find(1) expression that makes each directory accessible before find enters it; it is false for
 * every path.
 */
export const openDirectories = [
  '(',
  '-type',
  'd',
  '!',
  '-perm',
  '-700',
  '-exec',
  'chmod',
  'u+rwx',
  '{}',
  ';',
  '-type',
  'f',
  ')',
]

/**
 * Runs find(1) in `directory` and returns the paths that it prints with -print0, one byte per
 * character. Symbolic links are not followed.
 */
export async function find(
  directory: string,
  expression: readonly string[],
  options: Options = {},
): Promise<readonly string[]> {
  const found: string[] = []
  await eachFound(directory, expression, { ...options, onFound: (path) => found.push(path) })
  return found
}

interface Each extends Options {
  readonly onFound: (path: string) => void
}

/**
 * Like `find`, but passes paths one by one, since an agent can make more files than memory holds
 * names.
 */
export async function eachFound(
  directory: string,
  expression: readonly string[],
  { onFound, signal, spawned }: Each,
): Promise<void> {
  signal?.throwIfAborted()
  let begun = ''
  let errors = ''
  const running = runInGroup('find', ['.', ...expression], {
    cwd: directory,
    env: { PATH: systemPath, LC_ALL: 'C' },
    onStdout(bytes) {
      const paths = `${begun}${bytes.toString('latin1')}`.split('\0')
      begun = paths.pop() ?? ''
      for (const path of paths) onFound(path)
    },
    onStderr(bytes) {
      errors = (errors + bytes.toString('utf8')).slice(-2_000)
    },
    onStarted: spawned,
  })
  const { code, error } = await endedBy(running, signal)
  if (error !== null) throw error
  if (code === 0) return
  const todo = 'Make sure that the find command is in PATH and that the state directory is writable.'
  throw new DrydockError('git_failed', `find in ${directory} failed: ${errors.trim()}`, { todo })
}
