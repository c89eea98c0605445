import { actsOf } from '../../app/operations/acts-of.ts'
import type { RecordSource } from '../../app/state-access.ts'
import { usage } from '../../app/usage.ts'
import { lookUpTests } from '../../app/views/acceptance/read-story-tests.ts'
import { lookUp } from '../../app/views/find/find-work.ts'
import { criterionLine } from '../../domain/acceptance/shown-criteria.ts'
import type { TestsDecision } from '../../domain/acceptance/tests-decision.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import type { Output } from '../screen/output.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'

type StoryTests = Awaited<ReturnType<typeof lookUpTests>>['found'][number]

interface AcceptanceOptions {
  readonly confirm?: readonly string[]
  readonly drop?: readonly string[]
  /** The path of a folder. */
  readonly edit?: string
  readonly criterion?: readonly string[]
  readonly test?: readonly string[]
  readonly old?: boolean
}

/** Shows the hidden tests of stories, or lets a person confirm, drop or edit them. */
export async function acceptance(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & AcceptanceOptions,
): Promise<number> {
  const { confirm = [], drop = [] } = options
  const edited = await editOf(options)
  const drydock = await open(context, options)
  if (confirm.length + drop.length === 0 && edited === undefined) return show(context, drydock, id)
  const work = await lookUp(drydock, id)
  const story = work.story?.story ?? null
  if (story === null)
    throw usage(
      `${work.run.id} has several stories, or none yet.`,
      `Name one: drydock acceptance ${work.run.id}/<story>`,
    )
  const acts = await actsOf(drydock, { options })
  const decision = { confirm, drop, ...(edited && { edit: edited }) }
  const { run, handed } = await acts.decideTests({ run: work.run.id, story, ...decision })
  context.output.emit({ type: 'acceptance', run, story, confirm, drop, edited: edited?.criteria ?? [] })
  sayHandedOver(context, handed)
  return 0
}

/**
 * The edit that the options describe; null to show the tests. Throws DrydockError `bad_usage` for
 * options that contradict each other.
 */
async function editOf({
  edit: folder,
  criterion: ids = [],
  test: tests,
  old,
}: AcceptanceOptions): Promise<TestsDecision['edit']> {
  if (folder === undefined) {
    if (ids.length === 0 && tests === undefined && !old) return undefined
    throw usage('--criterion, --test and --old belong to --edit.', 'Name the folder of the files: --edit <folder>')
  }
  if (ids.length === 0) throw usage('The files are of no criterion.', 'Name what they test: --criterion C1')
  if (tests !== undefined && ids.length > 1)
    throw usage('--test belongs to one criterion.', 'Give the command once for each criterion.')
  const { readAcceptance } = await import('./start/read-acceptance.ts')
  const { files } = await readAcceptance(folder)
  const more = { ...(tests && { tests }), ...(old && { behaviour: 'old' as const }) }
  return { files, criteria: ids.map((id) => ({ id, ...more })) }
}

async function show({ output }: Context, drydock: RecordSource, id: string | undefined): Promise<number> {
  const { run, found } = await lookUpTests(drydock, id)
  for (const tests of found) {
    output.emit({ type: 'acceptance', ...tests })
    if (!output.json) output.say(describe(output, tests))
  }
  if (found.length === 0) output.say(`No architect writes tests for ${id ?? run}.`)
  return 0
}

function describe({ screen }: Output, { run, story, state, criteria, files, stub }: StoryTests): string {
  const lines = criteria.flatMap(({ tests, problems, reason, ...shown }) => [
    criterionLine(shown),
    ...tests.map((name) => `  test: ${name}`),
    ...(reason === null || reason === shown.why ? [] : [`  reason: ${reason}`]),
    ...problems.map((problem) => `  problem: ${problem}`),
  ])
  const texts = [
    ...files.map((file) => ({ ...file, what: 'File' })),
    ...stub.map((file) => ({ ...file, what: 'Stub' })),
  ]
  return [
    screen.clean([`${run}/${story}: ${state}`, ...lines].join('\n')),
    ...texts.map(({ what, path, content }) => {
      const text = Buffer.from(content, 'base64').toString('utf8')
      return `${screen.paint('strong', screen.clean(`${what} ${path}`))}\n${screen.clean(text.trimEnd())}`
    }),
  ].join('\n\n')
}
