import { existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { userEnvironment } from '../environment.ts'
import { createGit } from '../git.ts'
import { unlessMissing } from '../unless-missing.ts'

/**
 * The real path of the top of the work tree around `directory`. Throws DrydockError
 * `not_a_repository`.
 */
export async function findRepository(directory: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const git = createGit(userEnvironment(environment))
  const real = await unlessMissing(realpath(directory))
  if (real === null) throw refused(`${directory} does not exist.`, 'Name an existing folder with --repo.')
  // The last argument fails without a work tree; the answers to the others are printed before.
  const where = ['rev-parse', '--is-bare-repository', '--is-inside-work-tree', '--show-toplevel']
  const { stdout } = await git(['-C', real, ...where], { exits: [128] })
  const [bare, inside, ...top] = stdout.toString('utf8').split('\n')
  if (bare === '') return await outside(git, real)
  if (inside === 'true') return await realpath(top.join('\n').replace(/\n$/, ''))
  const message = bare === 'true' ? 'is a bare repository: it has no files to work on' : 'is inside a .git folder'
  throw refused(`${directory} ${message}.`, await whereToGo(git, real))
}

/** The work trees of the repository, for a message to a user who is in a place without files. */
async function whereToGo(git: ReturnType<typeof createGit>, directory: string): Promise<string> {
  const { stdout } = await git(['-C', directory, 'worktree', 'list', '--porcelain'])
  const all = stdout
    .toString('utf8')
    .split('\n\n')
    .map((tree) => tree.split('\n'))
  const paths = all.flatMap(([first = '', ...more]) =>
    more.some((line) => line === 'bare' || line.startsWith('prunable')) ? [] : [first.replace(/^worktree /, '')],
  )
  const trees = lines(paths.filter((path) => path !== ''))
  if (trees === null) return `Run git clone ${JSON.stringify(directory)}, then run Drydock in the clone.`
  return `Go to one of its work trees: ${trees}`
}

/** Commands to go to the first of these folders; null if there are none. */
function lines(folders: readonly string[]): string | null {
  const shown = folders.slice(0, 5).map((path) => `cd ${JSON.stringify(path)}`)
  return shown.length === 0 ? null : shown.join('   or ')
}

/** The real path of the folder in which all work trees of a repository share their refs. */
export async function refsOf(repository: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const git = createGit(userEnvironment(environment))
  const { stdout } = await git(['-C', repository, 'rev-parse', '--path-format=absolute', '--git-common-dir'])
  return realpath(stdout.toString('utf8').replace(/\n$/, ''))
}

/**
 * Reports git's own message if it says more than "not a repository", for example about another
 * owner.
 */
async function outside(git: ReturnType<typeof createGit>, directory: string): Promise<never> {
  try {
    await git(['-C', directory, 'rev-parse', '--git-dir'])
  } catch (error) {
    if (error instanceof DrydockError && !error.message.includes('not a git repository')) throw error
  }
  const below = await readdir(directory).catch(() => [])
  const projects = below.map((name) => join(directory, name)).filter((path) => existsSync(join(path, '.git')))
  const where = lines(projects.sort())
  throw refused(
    `${directory} is not inside a git repository.`,
    where === null ? 'Go to your project, or create one: git init' : `Go to your project: ${where}`,
  )
}

function refused(message: string, todo: string): DrydockError {
  return new DrydockError('not_a_repository', message, { todo })
}
