import { codersOf } from '../../../app/commands/check-config.ts'
import { overKept } from '../../../app/commands/kept-options.ts'
import { readyFor } from '../../../app/commands/ready-for.ts'
import { refuseOtherTerms, specQuery } from '../../../app/commands/spec-before.ts'
import { specRequest } from '../../../app/commands/spec-request.ts'
import { planFor } from '../../../app/operations/act/build-plan.ts'
import { viewsOf } from '../../../app/operations/views-of.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { usage } from '../../../app/usage.ts'
import type { KeptOptions } from '../../../domain/run/kept-options.ts'
import type { Result } from '../../../domain/run/result.ts'
import { titleOfSpec } from '../../../domain/run/spec.ts'
import type { PlannedStory } from '../../../domain/story/planned-story.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { optionsText, processOptions } from '../../screen/options-text.ts'
import { repeat, resume } from '../control.ts'
import { withDashboard } from '../dashboard.ts'
import { type AttendOptions, attend, type HumanOptions, waiting } from './attend.ts'
import { type EditOptions, editPlan, takeFile } from './edit-plan.ts'
import { readPlan, refuseExisting, writePlan } from './plan-file.ts'
import { readSpec } from './spec-intake.ts'
import { startRun } from './start-run.ts'

interface RunOptions {
  readonly reviewStories?: boolean
  readonly plan?: string
  readonly again?: boolean
  readonly asIs?: boolean
}

/** Builds a spec, continues an unfinished build, or prints the result of a finished one. */
export async function runSpec(
  context: Context,
  words: readonly string[],
  options: CommonOptions & RunOptions,
  human?: HumanOptions,
): Promise<number> {
  const spec = await readSpec(context, words)
  const stories = options.plan === undefined ? null : await readPlan(options.plan)
  if (options.plan !== undefined)
    context.output.note(
      `Write instead:  drydock plan build --from ${shellWord(options.plan)}   once \`drydock plan\` has planned the spec`,
    )
  const reviewStories = options.reviewStories ?? false
  const asIs = options.asIs ?? false
  const request = { spec, planOnly: false, reviewStories, asIs, stories }
  return build(context, { request, options, ...(human && { human }), ...withDashboard(context, options) })
}

interface PlanOptions {
  readonly output?: string
  readonly asIs?: boolean
  readonly again?: boolean
}

/**
 * Plans the stories of a spec, and prints them or writes them into a file. `edit` and `build`,
 * alone or with the id of a plan, act on an existing plan.
 */
export async function plan(
  context: Context,
  words: readonly string[],
  options: CommonOptions & PlanOptions & EditOptions,
): Promise<number> {
  const [verb, id, ...more] = words
  if (verb === 'edit' && more.length === 0) return editPlan(context, id, options)
  if (verb === 'build' && more.length === 0) return buildPlan(context, id, options)
  if (options.from !== undefined)
    throw usage('--from works only with `plan edit` and `plan build`.', 'drydock plan build --from plan.json')
  return planSpec(context, words, options)
}

/** Builds the stories of a plan, the last one without an id; with a file, the stories in it. */
async function buildPlan(
  context: Context,
  named: string | undefined,
  options: CommonOptions & PlanOptions & EditOptions,
) {
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  const { run } = await views.work({ id: named, meant: 'plan' })
  if (options.from !== undefined) await takeFile(context, { drydock, views }, { run, file: options.from })
  const { request, kept } = await planFor(drydock, views, run)
  const taken = optionsText(overKept(kept, options))
  if (taken !== '') context.output.note(`Building with:${taken}`)
  return build(context, { request, options, kept, ...withDashboard(context, options) })
}

/** Plans a spec's stories, and prints them or writes them into a file. */
async function planSpec(
  context: Context,
  words: readonly string[],
  options: CommonOptions & PlanOptions,
): Promise<number> {
  const { output: file } = options
  if (file !== undefined) await refuseExisting(file)
  const spec = await readSpec(context, words)
  const request = {
    spec,
    planOnly: true,
    reviewStories: false,
    asIs: options.asIs ?? false,
    stories: null,
  }
  let stories: readonly PlannedStory[] | null = null
  const onResult = ({ answer }: Result) => {
    stories = Array.isArray(answer) ? answer : null
  }
  const exitCode = await build(context, { request, options, onResult })
  if (stories === null) return exitCode
  if (file === undefined) {
    context.output.note(`\nTo edit them:  drydock plan edit`)
    context.output.note(`Build them:    drydock plan build${optionsText(processOptions(options))}`)
  } else {
    await writePlan(file, { version: null, stories })
    context.output.note(`\nWritten to ${file}.`)
    context.output.note(
      `Build them:    drydock plan build --from ${shellWord(file)}${optionsText(processOptions(options))}`,
    )
  }
  return exitCode
}

interface Building extends AttendOptions {
  readonly request: Parameters<typeof specRequest>[1]
  readonly options: CommonOptions & { readonly again?: boolean }
  /** The options of the plan; options that are named now take precedence. */
  readonly kept?: KeptOptions
}

/**
 * Builds a spec. It is only built a second time on request: an unfinished build continues, and a
 * finished one is printed again.
 */
async function build(context: Context, building: Building): Promise<number> {
  const { request: given, options, kept = {}, ...more } = building
  const all = { ...options, ...overKept(kept, options) }
  const drydock = await open(context, options)
  const request = await specRequest(drydock, given)
  const asked = async () => (await viewsOf(drydock)).specBefore(await specQuery(drydock, { request, options: all }))
  const { before } = options.again ? { before: null } : await asked()
  if (before?.standing === 'unfinished')
    refuseOtherTerms({ id: before.run, before: before.terms, options, reviewStories: request.reviewStories })
  if (before === null || before.standing === 'over') {
    if (before?.can_be_retried)
      context.output.note(
        `The same spec was cancelled: ${before.run}. To go on with its work: drydock retry ${before.run}`,
      )
    const ready = await readyFor(drydock, all, { steps: true, roles: { crew: true, editor: !request.planOnly } })
    return startRun(context, { drydock, request, ready, title: titleOfSpec(request.spec), options: all, ...more })
  }
  const { run } = before
  if (before.stored) {
    context.output.note(`The same spec already waits. Continuing ${run}.`)
    const coders = await codersOf(drydock, options)
    return attend(context, {
      drydock,
      runs: [run],
      after: 0,
      coders,
      own: true,
      ...waiting(context, options),
      record: options.record,
      ...more,
    })
  }
  if (before.standing === 'unfinished') {
    context.output.note(`The same spec is unfinished. Continuing ${run} (--again starts over).`)
    return resume(context, [run], options, more)
  }
  const done = request.planOnly ? 'planned' : 'built'
  context.output.note(`The same spec is already ${done}: ${run}. Its result follows; --again starts over.`)
  // A finished Run needs no dashboard.
  const { dashboard: _, ...rest } = more
  return repeat(context, { drydock, run, options, ...rest })
}
