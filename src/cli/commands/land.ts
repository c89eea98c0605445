import { checkConfig } from '../../app/commands/check-config.ts'
import { anywayOf, noteAnyway } from '../../app/commands/land/anyway.ts'
import { landAsChange, statusContext } from '../../app/commands/land/land-as-change.ts'
import { landInTree } from '../../app/commands/land/land-in-tree.ts'
import {
  landOnto,
  mergeTerms,
  responseOf,
  verificationOfMerge,
  type Way,
  wayOnto,
} from '../../app/commands/land/land-onto.ts'
import { type Landable, type LandableQuery, readLandable } from '../../app/commands/land/landable.ts'
import type { Drydock } from '../../app/drydock.ts'
import type { Installation } from '../../app/installation.ts'
import type { StateAccess } from '../../app/state-access.ts'
import { usage } from '../../app/usage.ts'
import type { LandingGoal } from '../../domain/landing/landing.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { attend, waiting } from './start/attend.ts'
import { startRun } from './start/start-run.ts'

interface LandOptions {
  readonly pr?: true
  readonly onto?: string
  readonly apply?: true
  readonly remote?: string
  readonly base?: string
  readonly forge?: string
  readonly reviewer?: readonly string[]
  readonly draft?: true
  readonly accept?: readonly string[]
  readonly anyway?: string
}

type Options = CommonOptions & LandOptions

/**
 * Lands the verified result of a Run: as a change at a forge, onto a branch, or into the working
 * tree.
 */
export async function land(context: Context, [id]: readonly string[], options: Options): Promise<number> {
  const { pr, onto, apply, accept, remote, base, forge, reviewer, draft } = options
  if ([pr, onto, apply].filter((way) => way !== undefined).length !== 1)
    throw usage(
      'Say where the result goes: --pr, --onto BRANCH or --apply.',
      'drydock land --pr, or drydock land --onto main',
    )
  if (onto === undefined && accept) throw usage('--accept works only with --onto.', 'drydock accept <id> <finding>')
  if (!pr && (remote ?? base ?? forge ?? reviewer ?? draft) !== undefined)
    throw usage(
      '--remote, --base, --forge, --reviewer and --draft work only with --pr.',
      onto === undefined ? 'drydock land --apply' : `drydock land --onto ${onto}`,
    )
  if (apply) return inTree(context, id, options)
  return onto === undefined ? asChange(context, id, options) : ontoBranch(context, id, { ...options, onto })
}

/** Notes that the branch was deleted. The verified commit lands nevertheless. */
function noteGone({ output }: Context, { gone }: Landable): void {
  if (gone?.taken === false) output.note(output.screen.clean(gone.message))
}

/** Returns a result without holds, or with a person's reason to land it anyway. */
async function landableFor(
  context: Context,
  drydock: Pick<Installation, 'repository' | 'userRepository' | 'publisher' | 'receipts' | 'openReceipts'> &
    Pick<StateAccess, 'openRecords' | 'atHub'>,
  {
    id,
    goal,
    reason = null,
  }: Pick<LandableQuery, 'id'> & { goal: LandingGoal['kind']; reason: string | null | undefined },
): Promise<Landable> {
  const receipts = await drydock.openReceipts()
  if (reason?.trim() === '') throw usage('--anyway needs a reason.', 'drydock land --onto main --anyway "why"')
  const anyway = await anywayOf(drydock, { id, goal, reason: reason?.trim() ?? null, by: null })
  const found = await readLandable(drydock, receipts, { id, goal, anyway })
  noteGone(context, found)
  return anyway === null ? found : noteAnyway(drydock, receipts, { landable: found, anyway, goal })
}

async function asChange(context: Context, id: string | undefined, options: Options): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const landable = await landableFor(context, drydock, { id, goal: 'change', reason: options.anyway })
  const { remote = 'origin', base = null, forge = null, reviewer = [], draft } = options
  const wanted = { remote, base, forge, reviewers: reviewer, draft: draft === true }
  const { change, opened, reviewProblem, ...landed } = await landAsChange(drydock, landable, wanted)
  output.emit({
    type: 'land',
    run: landable.run.id,
    forge: landed.forge,
    number: change.number,
    url: change.url,
    opened,
    branch: change.head,
    base: change.base,
    sha: landable.sha,
    receipt: `sha256:${landable.digest}`,
  })
  output.say(`${opened ? 'Opened' : 'Updated'} ${change.url}`)
  output.say(`Its commit ${landable.sha.slice(0, 12)} has the status ${statusContext}.`)
  if (reviewProblem !== null) throw reviewProblem
  return 0
}

async function inTree(context: Context, id: string | undefined, options: Options): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const landable = await landableFor(context, drydock, { id, goal: 'apply', reason: options.anyway })
  const files = await landInTree(drydock, landable)
  output.emit({ type: 'land', run: landable.run.id, sha: landable.sha, files: [...files] })
  output.say(`In your working tree, uncommitted: ${files.join(', ')}`)
  return 0
}

async function ontoBranch(
  context: Context,
  id: string | undefined,
  options: Options & { readonly onto: string },
): Promise<number> {
  const { output } = context
  const { onto, accept: accepted = [] } = options
  const drydock = await open(context, { ...options, target: onto })
  const landable = await landableFor(context, drydock, { id, goal: 'onto', reason: options.anyway })
  const way = await wayOnto(drydock, landable, onto)
  if (way.kind === 'merge') {
    const exitCode = await verifyMerge(context, drydock, { landable, way, options })
    if (exitCode !== 0) return exitCode
    // A new comment may have been written in the meantime.
    const { run, anyway } = landable
    await readLandable(drydock, await drydock.openReceipts(), { id: run.id, goal: 'onto', anyway })
  }
  const verified = way.kind === 'merge' ? await verificationOfMerge(drydock, way.sha) : null
  await landOnto(drydock, { landable, way, response: verified && responseOf(verified), accepted })
  output.emit({ type: 'land', run: landable.run.id, branch: way.branch, sha: way.sha, from: way.from, moved: way.kind })
  output.say(
    way.kind === 'there'
      ? `${way.branch} has it already: ${landable.sha.slice(0, 12)}`
      : `${way.branch} is now at ${way.sha.slice(0, 12)}, which was verified. Nothing was pushed.`,
  )
  return 0
}

/** Verifies a merge once, even if a killed process has already begun the verification. */
async function verifyMerge(
  context: Context,
  drydock: Drydock,
  { landable, way, options }: { readonly landable: Landable; readonly way: Way; readonly options: Options },
): Promise<number> {
  const before = await verificationOfMerge(drydock, way.sha)
  if (before !== null && isEnded(before.state)) return 0
  const target = { ...options, ...mergeTerms(landable, way) }
  const checked = await checkConfig(drydock, target, true)
  if (before !== null) {
    const attending = { drydock, runs: [before.id], after: 0, coders: checked.coders, own: true, only: true }
    return attend(context, { ...attending, ...waiting(context, options) })
  }
  const request = { kind: 'verify', commit: way.sha, asMerge: true } as const
  const title = `land onto ${way.branch}`
  return startRun(context, { drydock, request, ready: { checked, models: null }, title, options: target })
}
