import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfigCheck, checkConfig } from '../../../app/commands/check-config.ts'
import { checkFiles } from '../../../app/commands/check-files.ts'
import { readyFor } from '../../../app/commands/ready-for.ts'
import { uncommittedWork } from '../../../app/commands/uncommitted-work.ts'
import type { Installation } from '../../../app/installation.ts'
import { sparseNote } from '../../../app/text/sparse-note.ts'
import { usage } from '../../../app/usage.ts'
import type { Result } from '../../../domain/run/result.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { withDashboard } from '../dashboard.ts'
import { readAcceptance } from './read-acceptance.ts'
import { startRun } from './start-run.ts'
import { readTask } from './task-intake.ts'

interface TaskOptions {
  readonly dryRun?: boolean
  readonly apply?: boolean
  readonly review?: boolean
  readonly reviewPlan?: boolean
  readonly acceptance?: boolean
  readonly acceptanceTests?: string
  readonly constraint?: readonly string[]
  readonly nonGoal?: readonly string[]
  readonly criterion?: readonly string[]
  readonly file?: readonly string[]
  readonly fileText?: string
  readonly accept?: readonly string[]
  readonly run?: string
}

export async function task(
  context: Context,
  args: readonly string[],
  options: CommonOptions & TaskOptions,
): Promise<number> {
  const text = await readTask(context, args, options.fileText)
  const {
    dryRun = false,
    apply = false,
    review = false,
    reviewPlan = false,
    acceptance: writesTests = false,
    constraint = [],
    nonGoal = [],
    criterion = [],
    file = [],
    accept = [],
  } = options
  if (text === '' && accept.length > 0) {
    const { acceptFindings } = await import('../accept-findings.ts')
    return acceptFindings(context, { ids: accept, id: options.run ?? null, isOutdated: true }, options)
  }
  if (options.run !== undefined)
    throw usage('--run works only together with --accept.', 'To accept findings: drydock accept <id> <finding>')
  if (text === '') throw usage('The task has no text.', 'Say what to do: drydock task "fix the login timeout"')
  if (accept.length > 0) context.output.note('Accept what the result has instead:  drydock accept <run> <finding>')
  if (dryRun && apply) throw usage('--dry-run and --apply cannot be used together.', 'Use one of them.')
  const hasArchitect = review || writesTests
  if (options.architectModel !== undefined && !hasArchitect)
    throw usage(
      '--architect-model has no effect without --review or --acceptance.',
      'Add --review or --acceptance, or leave it out.',
    )
  if (dryRun && writesTests)
    throw usage('--dry-run and --acceptance cannot be used together.', 'Acceptance tests need a verified change.')
  if (dryRun && review)
    throw usage('--dry-run and --review cannot be used together.', 'A review is of a verified change: drop --dry-run.')
  const acceptance = await acceptanceOf(options)
  const drydock = await open(context, options)
  const request = {
    kind: 'task',
    task: {
      text,
      constraints: constraint,
      non_goals: nonGoal,
      files: file,
      ...(criterion.length > 0 && { acceptance_criteria: criterion }),
    },
    dryRun,
    apply,
    ...(review && { reviewed: true as const }),
    ...(reviewPlan && { planReviewed: true as const }),
    ...(writesTests && { testsWritten: true as const }),
    ...(accept.length > 0 && { accept }),
  } as const
  const checking = readyFor(drydock, options, { steps: true, roles: { crew: review, tests: writesTests } })
  // Loads the owner's code while git reads. A failure here is reported when the work begins.
  drydock.expectToOwn().catch(() => undefined)
  const uncommitted = drydock.atHub === null ? uncommittedWork(drydock, request) : undefined
  uncommitted?.catch(() => undefined)
  const sparse = apply ? drydock.userRepository.sparseCheckout() : null
  sparse?.catch(() => undefined)
  const ready = await checking
  await checkFiles(drydock, file)
  const folders = await sparse
  if (folders !== null) context.output.note(context.output.screen.clean(sparseNote(folders)))
  const more = withDashboard(context, options)
  return startRun(context, { drydock, request, ready, title: text, options, uncommitted, acceptance, ...more })
}

function acceptanceOf({ acceptanceTests: folder }: Pick<TaskOptions, 'acceptanceTests'>) {
  return folder === undefined ? undefined : readAcceptance(folder)
}

export async function verify(
  context: Context,
  [commit]: readonly string[],
  options: CommonOptions & Pick<TaskOptions, 'acceptanceTests'>,
  onResult?: (result: Result) => void,
): Promise<number> {
  const acceptance = await acceptanceOf(options)
  const drydock = await open(context, options)
  const checked = await checkConfig(drydock, options, true)
  if (commit === undefined && options.config === undefined) await noteOtherConfig(context, drydock, checked)
  const sha = commit === undefined ? null : (await drydock.userRepository.target(commit)).sha
  const request = { kind: 'verify', commit: sha } as const
  const exitCode = await startRun(context, {
    drydock,
    request,
    ready: { checked, models: null },
    title: 'verify',
    options,
    acceptance,
    ...(onResult && { onResult }),
  })
  if (exitCode === 0 && onResult === undefined)
    context.output.note('Only the steps ran. What the gate tries of a change beside them: drydock ci --base <branch>')
  return exitCode
}

/** Notes that the committed configuration applies, even if the working tree has a different one. */
async function noteOtherConfig(
  { output }: Context,
  { repository }: Pick<Installation, 'repository'>,
  { source, text }: ConfigCheck,
): Promise<void> {
  if (text === null) return
  const here = await readFile(join(repository, source), 'utf8').catch(() => null)
  if (here !== null && here !== text)
    output.note(`${source} differs from the committed version, which Drydock uses. To try it: --config ${source}`)
}

export async function scout(context: Context, args: readonly string[], options: CommonOptions): Promise<number> {
  const [kind, ...words] = args
  const question = words.join(' ').trim()
  if (kind !== 'codebase' && kind !== 'build') throw usage(`There is no scout "${kind}".`, 'Ask `codebase` or `build`.')
  if (question === '') throw usage('The question is empty.', 'Ask one: drydock scout codebase "where is auth handled?"')
  const drydock = await open(context, options)
  const ready = await readyFor(drydock, options, { steps: false, roles: { crew: false, editor: false } })
  return startRun(context, {
    options,
    drydock,
    request: { kind: 'scout', scout: kind, question },
    ready,
    title: `scout ${question}`,
  })
}
