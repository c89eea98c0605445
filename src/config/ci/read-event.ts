import { readFile, stat } from 'node:fs/promises'
import { z } from 'zod'
import type { CiEvent, CiService } from '../../domain/ci/ci-event.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { EnvironmentVariables } from '../environment.ts'

const sha = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const branch = z.string().min(1).max(1_000)

const changeSchema = z.looseObject({
  pull_request: z.looseObject({ base: z.looseObject({ sha }), head: z.looseObject({ sha }) }),
})
const queueSchema = z.looseObject({ merge_group: z.looseObject({ base_sha: sha, head_sha: sha }) })
const pushSchema = z.looseObject({
  before: sha.optional().catch(undefined),
  repository: z
    .looseObject({ default_branch: branch.optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

const nameBoth = 'Name the commits yourself: drydock ci --base <commit> --head <commit>'

/**
 * The change that the pipeline runs for. Only ids of commits and names of branches are used, since
 * a stranger may have written the rest of an event. Throws DrydockError `bad_usage`.
 */
export async function readEvent(service: CiService | null, env: EnvironmentVariables): Promise<CiEvent> {
  switch (service) {
    case 'github':
    case 'forgejo':
      return readActionsEvent(env)
    case 'gitlab':
      return readGitlabEvent(env)
    default:
      throw new DrydockError('bad_usage', 'This is no pipeline of GitHub, GitLab, Forgejo or Gitea.', {
        todo: 'Name the commit to compare with: drydock ci --base main',
      })
  }
}

async function readActionsEvent(env: EnvironmentVariables): Promise<CiEvent> {
  const name = env.GITHUB_EVENT_NAME ?? ''
  const head = read(sha, env.GITHUB_SHA, 'GITHUB_SHA')
  if (name === 'pull_request_target') throw refusedTarget()
  if (/^pull_request(?:_|$)/.test(name)) {
    const { pull_request: change } = read(changeSchema, await eventOf(env), 'The event')
    return { kind: 'change', name, head: change.head.sha, base: { sha: change.base.sha }, merge: head }
  }
  if (name === 'merge_group') {
    const { merge_group: group } = read(queueSchema, await eventOf(env), 'The event')
    return { kind: 'change', name, head: group.head_sha, base: { sha: group.base_sha }, merge: null }
  }
  if (!['push', 'workflow_dispatch', 'schedule'].includes(name))
    throw new DrydockError('bad_usage', `The event ${JSON.stringify(name)} does not say what to compare.`, {
      todo: `${nameBoth}. Or run it on pull_request, merge_group, push, schedule or workflow_dispatch.`,
    })
  const { before, repository } = read(pushSchema, await eventOf(env), 'The event')
  const pushed = name === 'push' && before !== undefined && !isZero(before) ? before : null
  return { kind: 'push', name, head, before: pushed, defaultBranch: repository?.default_branch ?? null }
}

async function readGitlabEvent(env: EnvironmentVariables): Promise<CiEvent> {
  const name = env.CI_PIPELINE_SOURCE ?? ''
  const head = read(sha, env.CI_COMMIT_SHA, 'CI_COMMIT_SHA')
  if (env.CI_MERGE_REQUEST_IID) {
    const source = env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA
    const target = env.CI_MERGE_REQUEST_TARGET_BRANCH_SHA
    const into = read(branch, env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME, 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME')
    return {
      kind: 'change',
      name,
      // Both variables exist only in pipelines for merged results, where the commit is a merge.
      head: source ? read(sha, source, 'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') : head,
      base: target ? { sha: read(sha, target, 'CI_MERGE_REQUEST_TARGET_BRANCH_SHA') } : { branch: into },
      merge: source ? head : null,
    }
  }
  const before = sha.safeParse(env.CI_COMMIT_BEFORE_SHA).data
  const pushed = before !== undefined && !isZero(before) ? before : null
  return { kind: 'push', name, head, before: pushed, defaultBranch: env.CI_DEFAULT_BRANCH || null }
}

async function eventOf({ GITHUB_EVENT_PATH: file }: EnvironmentVariables): Promise<unknown> {
  if (!file) throw unreadable('GITHUB_EVENT_PATH is not set.')
  const size = await stat(file).then(
    (found) => found.size,
    () => null,
  )
  if (size === null) throw unreadable('The file of GITHUB_EVENT_PATH cannot be read.')
  if (size > limits.ci.eventBytes) throw unreadable('The file of GITHUB_EVENT_PATH is too large.')
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw unreadable('The file of GITHUB_EVENT_PATH is not JSON.')
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data as T
  const [issue] = error.issues
  const key = issue?.path.join('.')
  throw unreadable(`${what}${key ? `: ${key}` : ''} is missing or not as expected.`)
}

function isZero(id: string): boolean {
  return /^0+$/.test(id)
}

function unreadable(message: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo: nameBoth })
}

function refusedTarget(): DrydockError {
  return new DrydockError('bad_usage', 'Drydock does not check a change on pull_request_target.', {
    todo: 'That event gives a stranger’s code the secrets of the repository. Use `on: pull_request`: drydock ci init github',
  })
}
