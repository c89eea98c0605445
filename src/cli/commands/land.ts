import { landAsChange } from '../../app/commands/land/land-as-change.ts'
import { readLandable } from '../../app/commands/land/landable.ts'
import { usage } from '../../app/usage.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'

interface LandOptions {
  readonly pr?: true
  readonly onto?: string
  readonly remote?: string
  readonly base?: string
  readonly forge?: string
  readonly reviewer?: readonly string[]
  readonly draft?: true
}

/** Hands the verified result of a Run to its team: as a change at a forge, or onto a branch. */
export async function land(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & LandOptions,
): Promise<number> {
  if ((options.pr === undefined) === (options.onto === undefined))
    throw usage('Say where the result goes: --pr or --onto BRANCH.', 'drydock land --pr, or drydock land --onto main')
  return asChange(context, id, options)
}

async function asChange(
  context: Context,
  id: string | undefined,
  options: CommonOptions & LandOptions,
): Promise<number> {
  const { output } = context
  const drydock = await open(context, options)
  const landable = await readLandable(drydock, id)
  const { remote = 'origin', base = null, forge = null, reviewer = [], draft } = options
  const wanted = { remote, base, forge, reviewers: reviewer, draft: draft === true }
  const { change, opened, reviewProblem, ...landed } = await landAsChange(drydock, landable, wanted)
  output.emit({
    ...{ type: 'land', run: landable.run.id, forge: landed.forge, number: change.number, url: change.url, opened },
    ...{ branch: change.head, base: change.base, sha: landable.sha, receipt: `sha256:${landable.digest}` },
  })
  output.say(`${opened ? 'Opened' : 'Updated'} ${change.url}`)
  output.say(`Its commit ${landable.sha.slice(0, 12)} has the status drydock/verified.`)
  if (reviewProblem !== null) throw reviewProblem
  return 0
}
