import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Drydock } from '../../../app/drydock.ts'
import { actsOf } from '../../../app/operations/acts-of.ts'
import type { Acts } from '../../../app/operations/operations.ts'
import { type View, type Views, viewsOf } from '../../../app/operations/views-of.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { usage } from '../../../app/usage.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { sentence } from '../../../domain/sentence.ts'
import { startProgram } from '../../../processes/start-program.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { type PlanFile, readPlanFile, refuseExisting, writePlan } from './plan-file.ts'

type Plan = View<'plan'>
type PlanActs = Pick<Acts, 'editPlan'>
type EditedPlan = Awaited<ReturnType<Acts['editPlan']>>

export interface EditOptions {
  readonly from?: string
  readonly output?: string
}

/**
 * Edits the stories of a Run that has not begun to build, from a file or in the user's editor.
 * Without an id, edits the latest editable plan. A file that cannot be used is kept, so that no
 * edit is lost.
 */
export async function editPlan(
  context: Context,
  named: string | undefined,
  options: CommonOptions & EditOptions,
): Promise<number> {
  const { from, output: file } = options
  if (from !== undefined && file !== undefined) throw usage('--from and --output cannot be used together.', 'Use one.')
  const drydock = await open(context, options)
  const views = await viewsOf(drydock)
  const { run } = await views.work({ id: named, meant: 'editable' })
  const plan = await views.plan({ run })
  refuseUneditable(plan)
  if (file !== undefined) {
    await refuseExisting(file)
    await writePlan(file, fileOf(plan))
    context.output.note(`Written to ${file}. Take it back:  drydock plan edit ${plan.run} --from ${shellWord(file)}`)
    return 0
  }
  if (from !== undefined) return take(context, await actsOf(drydock), { plan, file: from })
  return inEditor(context, drydock, plan)
}

/** Puts the stories of a file in place of a plan's, before they are built. */
export async function takeFile(
  context: Context,
  { drydock, views }: { readonly drydock: Drydock; readonly views: Views },
  { run, file }: { readonly run: string; readonly file: string },
): Promise<void> {
  const plan = await views.plan({ run })
  refuseUneditable(plan)
  await giveStories(context, await actsOf(drydock), { plan, file })
}

function refuseUneditable({ run, editable }: Plan): void {
  if (editable === null) throw usage(`${run} has no plan that can be edited now.`, 'Plan a spec: drydock plan spec.md')
}

function fileOf({ version, stories }: Plan): PlanFile {
  return {
    version,
    stories: stories.map(({ edited_by: _, state: __, begun: ___, ...story }) => story),
  }
}

/**
 * Opens the plan in the user's editor. Removes the file only once its content has been accepted.
 */
async function inEditor(context: Context, drydock: Drydock, plan: Plan): Promise<number> {
  const { env, stderr } = context.terminal
  const editor = env.VISUAL || env.EDITOR
  if (!editor || !stderr.isTTY) {
    const why = editor ? 'There is no terminal for your editor.' : 'Neither VISUAL nor EDITOR is set.'
    throw usage(why, `Write the plan to a file: drydock plan edit ${plan.run} --output plan.json`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'drydock-plan-'))
  const file = join(folder, 'plan.json')
  await writePlan(file, fileOf(plan))
  try {
    await openEditor(editor, file, env)
    const exitCode = await take(context, await actsOf(drydock), { plan, file })
    await rm(folder, { recursive: true })
    return exitCode
  } catch (error) {
    if (!(error instanceof DrydockError)) throw error
    const todo = `What you wrote is in ${file}. Correct it:  drydock plan edit ${plan.run} --from ${shellWord(file)}`
    throw new DrydockError(error.code, error.message, { todo, cause: error })
  }
}

/** Runs the editor through the shell, as git does, since it may contain arguments. */
async function openEditor(editor: string, file: string, env: Context['terminal']['env']): Promise<void> {
  const child = startProgram('sh', ['-c', `${editor} "$1"`, 'sh', file], { env, cwd: process.cwd(), stdio: 'inherit' })
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject)
  child.on('close', resolve)
  const code = await promise
  if (code !== 0) throw usage(`The editor ended with ${code ?? 'a signal'}, so nothing was changed.`, 'Try it again.')
}

interface PlanFileInput {
  readonly plan: Plan
  readonly file: string
}

/**
 * Submits an edited plan. Throws DrydockError `bad_usage` for a plan that cannot be built, and
 * `already_done` if somebody else edited or built it first.
 */
async function take(context: Context, acts: PlanActs, given: PlanFileInput): Promise<number> {
  const edited = await giveStories(context, acts, given)
  context.output.say(words(given.plan, edited))
  return 0
}

/** Throws DrydockErrors as `take` does. */
async function giveStories({ output }: Context, acts: PlanActs, { plan, file }: PlanFileInput): Promise<EditedPlan> {
  const { version, stories } = await readPlanFile(file)
  const wanted = stories.map(({ edited_by: _, ...story }) => story)
  const edited = await acts.editPlan({
    run: plan.run,
    version: version ?? plan.version,
    stories: wanted,
  })
  output.emit({ type: 'plan_edited', ...edited })
  if (edited.outcome !== 'edited') throw refusal(edited, file)
  return edited
}

function refusal({ run, outcome, problems }: EditedPlan, file: string): DrydockError {
  if (outcome === 'refused') {
    const words = [...new Set(problems.map(({ message }) => message))].join('; ')
    return usage(sentence`The plan ${file} cannot be used: ${words}.`, 'Correct the file and give the command again.')
  }
  return new DrydockError('already_done', `Somebody has edited the plan of ${run} since ${file} was written.`, {
    todo: `${file} stays as it is. See what the plan is now: drydock plan edit ${run} --output now.json`,
  })
}

function words(before: Plan, { run, handed, plan }: EditedPlan): string {
  if (handed !== 'applied') return `Recorded. The next process that works here applies it: drydock resume ${run}`
  if (before.version === plan.version) return 'Nothing is different.'
  const next = plan.editable === 'shown' ? `Build them:  drydock plan build ${run}` : null
  const asked = plan.editable === 'approval' ? 'They wait for your approval:  drydock chat' : null
  return [`The plan of ${run} has ${plan.stories.length} stories now.`, next ?? asked].filter(Boolean).join('\n')
}
