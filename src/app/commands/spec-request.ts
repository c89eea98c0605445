import { basename } from 'node:path'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { NamedRepository } from '../../domain/run/repository.ts'
import { isRepositoryUrl, nameOfUrl, problemOfUrl } from '../../domain/run/repository-url.ts'
import type { SpecRequest } from '../../domain/run/run.ts'
import { problemsOf } from '../../domain/story/plan-problems.ts'
import { inOwnRepository } from '../../domain/story/planned-story.ts'
import { splitFrontMatter } from '../../workflow/guide/front-matter.ts'
import { inRepository } from '../../workflow/in-repository.ts'
import type { Beside } from '../../workflow/repositories.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'

/** The parts that find the repositories of a spec. */
export type SpecSource = Pick<Installation, 'repository' | 'beside' | 'clone'>

type SpecInput = Omit<SpecRequest, 'kind' | 'repositories'>

/**
 * The request of a spec, with the repositories that its front matter names. Each repository is
 * checked while nothing is stored yet, so that none of them can stop the Run later. Throws
 * DrydockErrors.
 */
export async function specRequest(drydock: SpecSource, given: SpecInput): Promise<SpecRequest> {
  const named = await namedIn(given.spec.text)
  const repositories = named.length === 0 ? [] : await findAll(drydock, named)
  const { stories } = given
  const problems = stories === null ? [] : problemsOf(stories, repositories)
  if (problems.length > 0) throw usage(`The stories cannot be built: ${problems.join('; ')}.`, 'Correct their file.')
  return {
    kind: 'spec',
    ...given,
    ...(stories !== null && { stories: inOwnRepository(stories, repositories) }),
    ...(repositories.length > 0 && { repositories }),
  }
}

interface RepositoryName {
  /** Null if the repository takes the name of its folder. */
  readonly name: string | null
  readonly path: string
}

const form = 'repositories:\n  - ../client\nor\nrepositories:\n  client: ../client'

/**
 * The repositories that a spec's front matter names; empty without front matter. Throws
 * DrydockError `bad_usage`.
 */
async function namedIn(text: string): Promise<readonly RepositoryName[]> {
  if (!text.startsWith('---')) return []
  const { data, problem } = await splitFrontMatter(text)
  if (problem !== null) {
    // The first line may be a rule of dashes and no front matter.
    if (!/^repositories[ \t]*:/m.test(text)) return []
    throw usage(`The spec names repositories, but ${problem}.`, `Write, between two lines of ---:\n${form}`)
  }
  const { repositories } = data
  if (repositories === undefined) return []
  const named = read(repositories)
  if (named === null || named.length === 0 || named.some(({ path }) => path.trim() === ''))
    throw usage('"repositories" of the spec is neither a list of paths nor paths by name.', `Write:\n${form}`)
  if (named.length > limits.repositories)
    throw usage(`The spec names ${named.length} more repositories.`, `Name at most ${limits.repositories}.`)
  return named
}

function read(value: unknown): readonly RepositoryName[] | null {
  const paths: readonly (readonly [string | null, unknown])[] | null = Array.isArray(value)
    ? value.map((path) => [null, path] as const)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : null
  if (paths === null) return null
  const texts = paths.flatMap(([name, path]) => (typeof path === 'string' ? [{ name, path }] : []))
  return texts.length === paths.length ? texts : null
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** All repositories of the Run, starting with the Run's own. */
async function findAll(drydock: SpecSource, named: readonly RepositoryName[]): Promise<readonly NamedRepository[]> {
  const own = await drydock.beside(drydock.repository)
  const { sha } = await own.userRepository.target(null)
  const found: FoundRepository[] = [{ name: ownName(own.path), path: own.path, refs: own.refs }]
  for (const { name, path } of named) {
    const url = isRepositoryUrl(path) ? path : null
    const beside = await (url === null ? open(drydock, path) : openClone(drydock, url))
    const from = url === null ? {} : { url }
    const suggested = url === null ? basename(beside.path) : nameOfUrl(url)
    const other = { name: name ?? suggested, path: beside.path, refs: beside.refs, ...from }
    refuseSame(found, other)
    const start = await inRepository(beside.path, () => checkOne(beside))
    if (start.length !== sha.length) throw otherFormat(beside.path)
    found.push(other)
  }
  return found.map(({ refs: _, ...each }) => each)
}

/**
 * Opens a repository. Throws DrydockError `not_a_repository` with the path as the spec writes it.
 */
async function open(drydock: Pick<Installation, 'repository' | 'beside'>, path: string): Promise<Beside> {
  try {
    return await drydock.beside(path)
  } catch (error) {
    if (!(error instanceof DrydockError) || error.code !== 'not_a_repository') throw error
    const todo = `Correct the path in the spec. A relative one starts from ${drydock.repository}. A bare repository is named by its URL: file:///…`
    throw new DrydockError(error.code, `The spec names ${path}: ${error.message}`, { todo, cause: error })
  }
}

/** Clones a repository and opens it. Throws DrydockError `bad_usage`, `git_failed`. */
async function openClone(drydock: Pick<Installation, 'beside' | 'clone'>, url: string): Promise<Beside> {
  const problem = problemOfUrl(url)
  if (problem !== null) throw usage(problem.message, problem.todo)
  return drydock.beside(await drydock.clone(url))
}

function otherFormat(path: string): DrydockError {
  return usage(
    `${path}, which the spec names, has another object format (SHA-1 or SHA-256) than this repository.`,
    'Name repositories of one format only.',
  )
}

/**
 * The folder's name, changed where it would be invalid, since the user cannot rename the Run's own
 * repository.
 */
function ownName(path: string): string {
  const name = basename(path)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return name || 'repository'
}

type FoundRepository = NamedRepository & { readonly refs: string }

function refuseSame(found: readonly FoundRepository[], { name, path, refs }: FoundRepository): void {
  const same = found.find((other) => other.refs === refs)
  if (same !== undefined)
    throw usage(
      `The spec names the same repository twice: ${same.path}${same.path === path ? '' : ` and ${path}`}.`,
      'Name each repository once, and not the one in which you give the command.',
    )
  if (!namePattern.test(name))
    throw usage(
      `"${name}" cannot be the name of a repository: at most 64 letters, digits, ., - and _ are.`,
      'Give it a name in the spec:\nrepositories:\n  client: <path>',
    )
  if (found.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw usage(
      `Two repositories of the spec have the name ${name}.`,
      'Give them names:\nrepositories:\n  client: <path>',
    )
}

/**
 * The commit that the Run starts from. Throws if its configuration or an author for commits is
 * missing.
 */
async function checkOne({ userRepository, readConfig }: Beside): Promise<string> {
  const { sha } = await userRepository.target(null)
  await userRepository.author()
  const repositoryText = await userRepository.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => userRepository.fileAt(sha, path, limits.gate.fileBytes)
  await readConfig({ repositoryText, textAt, configFile: null, stepsRequired: true })
  return sha
}
