import { realpath } from 'node:fs/promises'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { userEnvironment } from '../environment.ts'
import { createGit } from '../git.ts'
import { unlessMissing } from '../unless-missing.ts'

/**
 * The real path of the top of the work tree that `directory` is in. DrydockError
 * `not_a_repository`.
 */
export async function findRepository(directory: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const git = createGit(userEnvironment(environment))
  const real = await unlessMissing(realpath(directory))
  if (real === null) throw refused(`${directory} does not exist.`, 'Name an existing folder with --repo.')
  // The last is an error where there is no work tree; what the others say is printed before.
  const where = ['rev-parse', '--is-bare-repository', '--is-inside-work-tree', '--show-toplevel']
  const { stdout } = await git(['-C', real, ...where], { exits: [128] })
  const [bare, inside, ...top] = stdout.toString('utf8').split('\n')
  if (bare === '') return await outside(git, real)
  if (inside === 'true') return await realpath(top.join('\n').replace(/\n$/, ''))
  if (bare === 'true')
    throw refused(
      `${directory} is a bare repository: it has no files to work on.`,
      `Run git clone ${JSON.stringify(real)}, then run Drydock in the clone.`,
    )
  throw refused(`${directory} is inside a .git folder.`, 'Go to the folder that contains it.')
}

/** The real path of the folder that all work trees of a repository have their refs in. */
export async function refsOf(repository: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const git = createGit(userEnvironment(environment))
  const { stdout } = await git(['-C', repository, 'rev-parse', '--path-format=absolute', '--git-common-dir'])
  return realpath(stdout.toString('utf8').replace(/\n$/, ''))
}

/**
 * Git's own complaint where it says more than "not a repository", such as a repository of another
 * owner.
 */
async function outside(git: ReturnType<typeof createGit>, directory: string): Promise<never> {
  try {
    await git(['-C', directory, 'rev-parse', '--git-dir'])
  } catch (error) {
    if (error instanceof DrydockError && !error.message.includes('not a git repository')) throw error
  }
  throw refused(`${directory} is not inside a git repository.`, 'Go to your project, or create one: git init')
}

function refused(message: string, todo: string): DrydockError {
  return new DrydockError('not_a_repository', message, { todo })
}
