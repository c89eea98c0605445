import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Drydock } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { RunModels, RunRequest } from '../domain/run.ts'
import { slug } from '../domain/text.ts'
import { attend } from './attend.ts'
import type { CommonOptions, Context } from './context.ts'
import type { Result } from './exit-code.ts'
import { type Checked, checkConfig, checkModels, open } from './open.ts'

interface TaskOptions {
  readonly dryRun?: boolean
  readonly apply?: boolean
  readonly constraint?: readonly string[]
  readonly nonGoal?: readonly string[]
  readonly file?: readonly string[]
}

export async function task(
  context: Context,
  args: readonly string[],
  options: CommonOptions & TaskOptions,
): Promise<number> {
  const text = args.join(' ').trim()
  const { dryRun = false, apply = false, constraint = [], nonGoal = [], file = [] } = options
  if (text === '') throw usage('The task has no text.', 'Say what to do: drydock task "fix the login timeout"')
  if (dryRun && apply) throw usage('--dry-run and --apply exclude each other.', 'Give one of them.')
  const drydock = await open(context, options)
  const checked = await checkConfig(drydock, options, true)
  const models = checkModels(context, drydock, options)
  for (const path of file) {
    if (isAbsolute(path) || path.split('/').includes('..') || !existsSync(join(drydock.repository, path))) {
      throw usage(`--file ${path} is not in the repository.`, 'Name it relative to the top of the repository.')
    }
  }
  const request = {
    kind: 'task',
    task: { text, constraints: constraint, non_goals: nonGoal, files: file },
    dryRun,
    apply,
  } as const
  return start(context, { drydock, request, models, checked, title: text })
}

export async function verify(
  context: Context,
  [commit]: readonly string[],
  options: CommonOptions,
  onResult?: (result: Result) => void,
): Promise<number> {
  const drydock = await open(context, options)
  const checked = await checkConfig(drydock, options, true)
  if (commit === undefined && options.config === undefined) await noteOtherConfig(context, drydock, checked)
  const sha = commit === undefined ? null : (await drydock.workspaces.target(commit)).sha
  const request = { kind: 'verify', commit: sha } as const
  return start(context, { drydock, request, models: null, checked, title: 'verify', ...(onResult && { onResult }) })
}

/** The configuration of a commit holds, also for a working tree that has another one. */
async function noteOtherConfig({ output }: Context, { repository }: Drydock, { source, text }: Checked): Promise<void> {
  if (text === null) return
  const here = await readFile(join(repository, source), 'utf8').catch(() => null)
  if (here !== null && here !== text)
    output.note(`${source} differs from the committed one, which is used. To try it: --config ${source}`)
}

export async function scout(context: Context, args: readonly string[], options: CommonOptions): Promise<number> {
  const [kind, ...words] = args
  const question = words.join(' ').trim()
  if (kind !== 'codebase' && kind !== 'build') throw usage(`There is no scout "${kind}".`, 'Ask `codebase` or `build`.')
  if (question === '') throw usage('The question is empty.', 'Ask one: drydock scout codebase "where is auth handled?"')
  const drydock = await open(context, options)
  const checked = await checkConfig(drydock, options, false)
  const models = checkModels(context, drydock, options)
  return start(context, {
    drydock,
    request: { kind: 'scout', scout: kind, question },
    models,
    checked,
    title: `scout ${question}`,
  })
}

interface Start {
  readonly drydock: Drydock
  readonly request: RunRequest
  readonly models: RunModels | null
  readonly checked: Checked
  readonly title: string
  readonly onResult?: (result: Result) => void
}

async function start(context: Context, starting: Start): Promise<number> {
  const { drydock, request, models, checked, title, onResult } = starting
  const run = `${slug(title.slice(0, 40)).slice(0, 24).replace(/-$/, '')}-${randomBytes(3).toString('hex')}`
  const { target, configFile, coders } = checked
  await drydock.submit(`start/${run}`, { kind: 'start', run, request, target, configFile, models })
  return attend(context, { drydock, runs: [run], after: 0, coders, own: true, ...(onResult && { onResult }) })
}

function usage(message: string, todo: string): DrydockError {
  return new DrydockError('bad_usage', message, { todo })
}
