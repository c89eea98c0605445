import { codersOf } from '../../app/commands/check-config.ts'
import { type GivenRemarks, givenRemarks, placeOf, remarksOfFile } from '../../app/commands/given-remarks.ts'
import { storedReviews } from '../../app/commands/stored-reviews.ts'
import { readTextFile } from '../../app/commands/text-file.ts'
import { giveReview } from '../../app/operations/act/submit-review.ts'
import { lastEvent, viewsOf } from '../../app/operations/views-of.ts'
import type { RecordSource } from '../../app/state-access.ts'
import { usage } from '../../app/usage.ts'
import { lookUp, type Work } from '../../app/views/find/find-work.ts'
import { type Standing, standingOf } from '../../app/views/outcome-now.ts'
import { readReview, remarkJson, unfinishedFollowUps } from '../../app/views/remarks.ts'
import { exitCodeOfOutcome } from '../../domain/run/exit-code.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import { followedBy, isEnded } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { remarkLines } from '../screen/remark-lines.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'
import { attend, waiting } from './start/attend.ts'
import { attendFollowUps } from './start/attend-follow-ups.ts'

interface ReviewOptions {
  readonly comment?: readonly string[]
  readonly file?: string
  readonly author?: string
}

type Options = CommonOptions & ReviewOptions

/** Shows the remarks about a change with their states, or submits remarks. */
export async function review(context: Context, [id]: readonly string[], options: Options): Promise<number> {
  const drydock = await open(context, options)
  const work = await lookUp(drydock, id)
  const given = await givenIn(options)
  if (given.length === 0) {
    await show(context, drydock, work)
    return 0
  }
  const { run, story } = work
  const author = options.author ?? (await drydock.userRepository.author().catch(() => null))?.name ?? 'the user'
  const before = await readReview(drydock, { ...work, story: null })
  const remarks = givenRemarks(given, { source: { kind: 'cli' }, author, known: before })
  const known = new Set(before.map(({ key }) => key))
  const earlier = await unfinishedFollowUps(drydock, followedBy(work.run)?.run ?? work.run.id)
  const after = await lastEvent(await viewsOf(drydock))
  const submitted = await giveReview(drydock, { id: story?.id ?? run.id, remarks })
  const standing = await standingOf(drydock, earlier)
  const first = standing[0] ?? null
  context.output.emit({ type: 'review', ...submitted, ...(first && { waits_for: first }) })
  const isNew = remarks.some(({ key }) => !known.has(key))
  const { handed, followUp } = submitted
  for (const each of standing) sayWaits(context, each)
  if (first !== null && options.wait !== true) {
    await show(context, drydock, work)
    return exitCodeOfOutcome(first)
  }
  if (isNew && handed === 'recorded' && isEnded(run.state)) {
    const about = submitted.run
    const started = [...(await unfinishedFollowUps(drydock, about)), ...(await storedReviews(drydock, about))]
    const runs = started.length > 0 ? started : [followUp]
    const exit = await attend(context, {
      drydock,
      runs,
      after,
      coders: await codersOf(drydock, options),
      own: true,
      ...waiting(context, options),
    })
    const exitCode = await attendFollowUps(context, { drydock, about, before: runs, exitCode: exit, options })
    await show(context, drydock, work)
    return exitCode
  }
  sayHandedOver(context, handed)
  await show(context, drydock, work)
  return 0
}

/**
 * Says that remarks wait for the Run that works on earlier ones, and that this Run waits for a
 * person.
 */
function sayWaits({ output }: Context, { run, outcome: { code, sentence } }: Standing): void {
  output.note(`Recorded. ${run} works on earlier remarks, and these wait until it has ended.`)
  output.note(`${run} is ${code}: ${sentence} ${wayOn(run, code)}`)
}

function wayOn(run: string, code: Outcome['code']): string {
  if (code === 'WAITS_FOR_YOU') return `Read the question: drydock chat ${run}`
  const more = code === 'BUDGET_REACHED' ? `See how much it needs: drydock budget ${run}. Then continue` : 'Continue'
  return `${more} with: drydock resume ${run}`
}

async function givenIn({ comment = [], file }: ReviewOptions): Promise<GivenRemarks> {
  if (comment.length % 2 !== 0)
    throw usage('Each --comment has two parts: where, and what.', 'drydock review <id> --comment src/a.ts:10-12 "…"')
  const places = comment.filter((_, index) => index % 2 === 0)
  const said = places.map((place, index) => ({ ...placeOf(place), text: comment[2 * index + 1] ?? '', side }))
  if (file === undefined) return said
  const text = await readTextFile(file, {
    what: 'text',
    name: 'Name a file.',
    say: 'Write remarks into it.',
    shorten: 'Submit them in parts.',
  })
  return [...remarksOfFile(file, text), ...said]
}

const side = 'new' as const

async function show({ output }: Context, drydock: RecordSource, work: Work): Promise<void> {
  const remarks = await readReview(drydock, work)
  for (const remark of remarks) output.emit({ type: 'remark', ...remarkJson(remark) })
  if (output.json) return
  if (remarks.length === 0) output.say(`There are no remarks on ${work.story?.id ?? work.run.id}.`)
  else output.say(remarkLines(output.screen, remarks))
}
