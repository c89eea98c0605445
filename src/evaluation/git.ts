import { text } from 'node:stream/consumers'
import type { ProgramEnvironment } from '../processes/start-program.ts'
import { startProgram } from '../processes/start-program.ts'

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** Runs git and returns its output without the last line break. Rejects with git's own message. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>

/**
 * Git in a folder, without the user's configuration and without a repository from the environment.
 */
export function gitIn(folder: string, path: string | undefined): Git {
  const env = {
    PATH: path,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    ...author,
  }
  return (args, options = {}) => runGit(folder, args, { ...options, env: { ...env, ...options.env } })
}

const when = '2000-01-01T00:00:00Z'

/** The author of every commit of the bench, so that equal files give equal commits. */
const author = {
  GIT_AUTHOR_NAME: 'Drydock bench',
  GIT_AUTHOR_EMAIL: 'bench@localhost',
  GIT_AUTHOR_DATE: when,
  GIT_COMMITTER_NAME: 'Drydock bench',
  GIT_COMMITTER_EMAIL: 'bench@localhost',
  GIT_COMMITTER_DATE: when,
}

interface Running {
  readonly env: ProgramEnvironment
  readonly input?: string | Uint8Array
}

async function runGit(folder: string, args: readonly string[], { env, input = '' }: Running): Promise<string> {
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
  const child = startProgram('git', ['-C', folder, ...args], { env, cwd: '/', stdio })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  // Git may end without reading all input; its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code === 0) return stdout.replace(/\n$/, '')
  throw new Error(`git ${args[0]} ended with ${code ?? 'a signal'}: ${stderr.trim()}`)
}
