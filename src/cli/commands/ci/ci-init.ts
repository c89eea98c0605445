import { existsSync } from 'node:fs'
import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { usage } from '../../../app/usage.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { type CiService, ciServices } from '../../../domain/ci/ci-event.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { shipped } from '../../../processes/installation.ts'
import { mustRun } from '../../../processes/run-program.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { workflowFile } from './workflow-files.ts'

export interface CiInitOptions {
  /** The repository URL and the commit from which the pipeline installs Drydock. */
  readonly from?: string
  readonly commit?: string
}

/** Writes the workflow file of a CI service into the repository, and never overwrites a file. */
export async function ciInit(
  context: Context,
  named: string | undefined,
  options: CommonOptions & CiInitOptions,
): Promise<number> {
  const service = serviceOf(named)
  const drydock = await open(context, options)
  const { branch } = await drydock.userRepository.target(drydock.user.target ?? null)
  const source = await sourceOf(context, service, options)
  const plain = branch !== null && /^[\w./-]+$/.test(branch) ? branch : null
  const { path, text } = workflowFile(service, { ...source, branch: plain })
  await write(drydock.repository, path, text)
  context.output.emit({ type: 'ci_init', service, file: path, ...source })
  context.output.say(`Wrote ${path}. It installs Drydock from ${source.from} at ${source.commit.slice(0, 12)}.`)
  context.output.say(nextFor(service, drydock.repository))
  return 0
}

function serviceOf(named: string | undefined): CiService {
  const service = ciServices.find((each) => each === named)
  if (service !== undefined) return service
  throw usage(
    named === undefined ? 'Name the service.' : `There is no workflow for "${named}".`,
    `Name one: ${ciServices.map((each) => `drydock ci init ${each}`).join(', ')}`,
  )
}

/** The named source, otherwise the clone that this program runs from. */
async function sourceOf({ terminal }: Context, service: CiService, { from, commit }: CiInitOptions) {
  const { path, home } = readEnvironment(terminal.env)
  const root = shipped('.')
  const git = async (...args: readonly string[]) => {
    if (!existsSync(join(root, '.git'))) return null
    const env = { PATH: path, HOME: home, LC_ALL: 'C' }
    return (await mustRun('git', ['-C', root, ...args], { env }).catch(() => null))?.trim() || null
  }
  const url = from ?? (await git('remote', 'get-url', 'origin'))
  const sha = commit ?? (await git('rev-parse', '--verify', 'HEAD^{commit}'))
  const todo = `drydock ci init ${service} --from https://… --commit <full sha>`
  if (url === null || sha === null)
    throw usage('Drydock is not published, and this installation does not say which clone it comes from.', todo)
  if (!isPublicUrl(url))
    throw usage(`A pipeline cannot install Drydock from ${withoutLogin(url)}.`, `Name a URL without a login: ${todo}`)
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)) throw usage('--commit takes the full id of a commit.', todo)
  return { from: url, commit: sha }
}

/** True for a URL that is safe to write into the file: it contains no quote, space or line end. */
function isPublicUrl(url: string): boolean {
  return /^(?:https?|git|file):\/\/[\w.~:/%+-]+$/.test(url)
}

function withoutLogin(url: string): string {
  return JSON.stringify(url.replace(/\/\/[^/@]*@/, '//…@'))
}

async function write(repository: string, path: string, text: string): Promise<void> {
  const file = join(repository, path)
  if ((await lstat(file).catch(() => null)) !== null)
    throw new DrydockError('bad_usage', `${file} exists already.`, {
      todo: 'Edit it. Or remove it and run this again.',
    })
  await mkdir(dirname(file), { recursive: true })
  const folder = await realpath(dirname(file))
  if (relative(await realpath(repository), folder) !== dirname(path))
    throw usage(`${dirname(file)} is a link.`, 'Replace it by a folder.')
  await writeFile(file, text, { flag: 'wx' })
}

function nextFor(service: CiService, repository: string): string {
  switch (service) {
    case 'github':
      return 'Commit it. Then make the job "drydock" a required check: Settings, Rules, Rulesets.'
    case 'forgejo':
      return 'Commit it. Then make its check a required one: Settings, Branches, Protected branches.'
    case 'gitlab':
      return existsSync(join(repository, '.gitlab-ci.yml'))
        ? 'Add it to your .gitlab-ci.yml:\ninclude:\n  - local: .gitlab/drydock.yml'
        : 'Create a .gitlab-ci.yml with:\ninclude:\n  - local: .gitlab/drydock.yml'
    default:
      throw new Error(`unknown service ${service satisfies never}`)
  }
}
