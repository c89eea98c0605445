import { DrydockError } from '../../../domain/drydock-error.ts'
import { systemPath } from '../../../processes/host-path.ts'
import { startProgram } from '../../../processes/start-program.ts'

/**
 * Expression of find(1) that makes every directory passable before it is entered; false for all
 * that it sees.
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
 * Runs find(1) in `directory` and returns the paths it prints with -print0, one byte a character.
 * It follows no symbolic link.
 */
export async function find(
  directory: string,
  expression: readonly string[],
  signal?: AbortSignal | undefined,
): Promise<readonly string[]> {
  const found: string[] = []
  await eachFound(directory, expression, { onFound: (path) => found.push(path), signal })
  return found
}

interface Each {
  readonly onFound: (path: string) => void
  readonly signal?: AbortSignal | undefined
}

/** The same, one by one: an agent makes more files than there is memory for their names. */
export function eachFound(directory: string, expression: readonly string[], { onFound, signal }: Each): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = startProgram('find', ['.', ...expression], {
      cwd: directory,
      env: { PATH: systemPath, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    })
    let begun = ''
    let errors = ''
    child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      const paths = `${begun}${chunk}`.split('\0')
      begun = paths.pop() ?? ''
      for (const path of paths) onFound(path)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString('utf8')).slice(-2_000)
    })
    child.on('error', (error) => reject(signal?.aborted ? signal.reason : error))
    child.on('close', (code) => {
      if (signal?.aborted) return reject(signal.reason)
      if (code === 0) return resolve()
      const todo = 'See that the find command is in PATH and that the state directory is writable.'
      reject(new DrydockError('git_failed', `find in ${directory} failed: ${errors.trim()}`, { todo }))
    })
  })
}
