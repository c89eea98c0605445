import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checkConfig, codersOf } from '../../../app/commands/check-config.ts'
import { checkModels } from '../../../app/commands/check-models.ts'
import { type Before, findInterview, refuseOtherTerms, termsOf } from '../../../app/commands/spec-before.ts'
import type { Drydock } from '../../../app/drydock.ts'
import { usage } from '../../../app/usage.ts'
import { type Spec, titleOfSpec } from '../../../domain/run/spec.ts'
import { slug } from '../../../domain/text.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { confirm, keyboardOf } from '../../screen/ask-line.ts'
import { optionsText } from '../../screen/options-text.ts'
import { repeat, resume } from '../control.ts'
import { withDashboard } from '../dashboard.ts'
import { attend, waiting } from './attend.ts'
import { type Delivery, shownPath } from './deliver-spec.ts'
import { readSpec, wish } from './spec-intake.ts'
import { startRun } from './start-run.ts'

interface InterviewOptions {
  readonly output?: string
  readonly overwrite?: boolean
  readonly continue?: boolean
  readonly again?: boolean
}

/**
 * Writes a spec with the user, in a new or unfinished interview. For a finished one, prints its
 * result.
 */
export async function interview(
  context: Context,
  words: readonly string[],
  options: CommonOptions & InterviewOptions,
): Promise<number> {
  const named = options.output === undefined ? undefined : resolve(options.output)
  if (options.continue && words.length > 0) throw usage('--continue takes no text.', 'Leave one of them out.')
  const spec = options.continue ? null : await readSpec(context, words, wish)
  const drydock = await open(context, options)
  const found =
    options.again && spec !== null ? null : await findInterview(drydock, { words: spec?.text ?? null, options })
  const known = spec !== null && found?.standing === 'over' ? null : found
  if (known?.standing === 'unfinished') refuseOtherTerms({ id: known.id, before: termsOf(known), options })
  const file = named ?? (spec !== null && known === null ? usualFile(spec) : undefined)
  const delivery = { ...(await deliveryTo(context, file, options)), flags: optionsText(withoutBounds(options)) }
  if (known !== null && spec !== null) {
    const end = known.standing === 'done' ? 'has ended' : 'is unfinished'
    context.output.note(`The interview about the same words ${end}: ${known.id} (--again starts over).`)
  }
  if (known !== null) return goOn(context, options, { drydock, known, delivery })
  if (spec === null) throw usage('There is no interview yet.', 'Start one: drydock spec "what you want"')
  const checked = await checkConfig(drydock, options, false)
  const models = checkModels(drydock, options, { crew: true, editor: false })
  const request = { kind: 'interview', spec, file: delivery.file ?? null } as const
  const title = titleOfSpec(spec)
  return startRun(context, {
    drydock,
    request,
    ready: { checked, models },
    title,
    options,
    delivery,
    ...withDashboard(context, options),
  })
}

/** Removes the budget and the wait, which an interview has for itself. */
function withoutBounds({ budgetUsd: _, maxWait: __, ...options }: CommonOptions): CommonOptions {
  return options
}

interface InterviewState {
  readonly drydock: Drydock
  readonly known: Before
  readonly delivery: Delivery
}

async function goOn(
  context: Context,
  options: CommonOptions,
  { drydock, known, delivery }: InterviewState,
): Promise<number> {
  const more = { delivery, ...withDashboard(context, options) }
  if (known.run === null) {
    const coders = await codersOf(drydock, options)
    const { id } = known
    const following = { drydock, runs: [id], after: 0, coders, own: true, ...waiting(context, options) }
    return attend(context, { ...following, record: options.record, ...more })
  }
  if (known.standing === 'unfinished') return resume(context, [known.id], options, more)
  return repeat(context, { drydock, run: known.id, options, delivery })
}

/**
 * Refuses an existing file early, so that nothing is spent in vain, unless the user permits its
 * replacement with `--overwrite` or at the terminal.
 */
async function deliveryTo(
  context: Context,
  file: string | undefined,
  { overwrite = false }: InterviewOptions,
): Promise<Delivery> {
  if (file === undefined) return { overwrite }
  if ((await stat(dirname(file)).catch(() => null)) === null)
    throw usage(`The folder of ${shownPath(file)} does not exist.`, 'Name another file: -o spec.md')
  const found = await stat(file).catch(() => null)
  if (found === null || overwrite) return { file, overwrite }
  const keyboard = context.output.json || found.isDirectory() ? null : keyboardOf(context.terminal)
  const question = `${shownPath(file)} exists. Replace it?`
  if (keyboard && (await confirm(context.terminal, { keyboard, question, usual: false })))
    return { file, overwrite: true }
  throw usage(`${shownPath(file)} already exists.`, 'Name another file with -o, or replace it with --overwrite.')
}

/**
 * The default file: next to the file with the words, otherwise in the current folder, with a name
 * made from the title.
 */
function usualFile({ text, source }: Spec): string {
  if (source === 'text' || source === 'stdin') return resolve(`${slug(titleOfSpec({ text, source }))}-spec.md`)
  const name = resolve(source).replace(/\.(md|markdown|txt)$/i, '')
  return join(dirname(name), `${name.slice(dirname(name).length + 1)}-spec.md`)
}
