import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Landing, LandingGoal } from '../../../domain/landing/landing.ts'
import { isEnded } from '../../../domain/run/run.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { LandingStep } from '../../../workflow/landing/landing-step.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource, StateAccess } from '../../state-access.ts'
import { checkConfig } from '../check-config.ts'
import { checkContainers, startCommand } from '../start-command.ts'
import { noteAnyway } from './anyway.ts'
import { landAsChange } from './land-as-change.ts'
import { landInTree } from './land-in-tree.ts'
import { landOnto, mergeTerms, openOnMerge, responseOf, verificationOfMerge, type Way, wayOnto } from './land-onto.ts'
import { type Landable, readLandable } from './landable.ts'

/**
 * The next step of a landing, as `drydock land` takes it. Throws a DrydockError if anything
 * prevents the landing.
 */
export async function nextStep(
  drydock: Installation & Pick<StateAccess, 'openRecords' | 'atHub' | 'openForgeCalls'>,
  receipts: ReceiptReader,
  landing: Landing,
): Promise<LandingStep> {
  const { goal, anyway = null } = landing.data
  const wanted = { id: landing.run, goal: landing.state === 'MOVING' ? null : goal.kind, anyway }
  const held = await readLandable(drydock, receipts, wanted)
  const isNoted = anyway === null || landing.state === 'VERIFYING'
  const landable = isNoted ? held : await noteAnyway(drydock, receipts, { landable: held, anyway, goal: wanted.goal })
  if (goal.kind === 'change') return asChange(drydock, landable)
  if (goal.kind === 'onto') return ontoBranch(drydock, { landable, landing, goal })
  return { event: 'landed', result: { kind: 'apply', files: await landInTree(drydock, landable) } }
}

async function asChange(
  drydock: Pick<Installation, 'user' | 'userRepository' | 'remotes' | 'redact' | 'openForge'> &
    Pick<StateAccess, 'openForgeCalls'>,
  landable: Landable,
): Promise<LandingStep> {
  const wanted = { remote: 'origin', base: null, forge: null, reviewers: [], draft: false }
  const { change, forge, opened, reviewProblem } = await landAsChange(drydock, landable, wanted)
  const problem = reviewProblem && {
    code: reviewProblem.code,
    message: reviewProblem.message,
    todo: reviewProblem.todo,
  }
  const result = { kind: 'change', forge, number: change.number, url: change.url, opened, problem } as const
  return { event: 'landed', result }
}

interface Onto {
  readonly landable: Landable
  readonly landing: Landing
  readonly goal: Extract<LandingGoal, { kind: 'onto' }>
}

async function ontoBranch(
  drydock: Installation & RecordSource,
  { landable, landing, goal }: Onto,
): Promise<LandingStep> {
  const { state, data } = landing
  const way = await wayOnto(drydock, landable, goal.branch)
  const { branch, sha, kind } = way
  // The branch can only have moved by this landing itself.
  const landed: LandingStep = {
    event: 'landed',
    result: {
      kind: 'onto',
      branch,
      sha,
      moved: kind === 'there' && state === 'MOVING' ? (data.way?.kind ?? kind) : kind,
    },
  }
  if (kind === 'there') {
    await landOnto(drydock, { landable, way, response: null, accepted: [] })
    return landed
  }
  if (data.way !== null && data.way.sha !== sha) throw moved(way)
  const step = { from: way.from, sha, kind }
  if (kind === 'forward' && state === 'REQUESTED') return { event: 'moving', way: step }
  if (kind === 'forward') {
    await landOnto(drydock, { landable, way, response: null, accepted: [] })
    return landed
  }
  return ontoMerge(drydock, { landable, landing, goal }, { way, step, landed })
}

interface Merging {
  readonly way: Way
  readonly step: Extract<LandingStep, { event: 'moving' }>['way']
  readonly landed: LandingStep
}

async function ontoMerge(
  drydock: Installation & RecordSource,
  { landable, landing, goal }: Onto,
  { way, step, landed }: Merging,
): Promise<LandingStep> {
  const { verification } = landing.data
  const known =
    verification === null
      ? await verificationOfMerge(drydock, way.sha)
      : await reading(drydock, (records) => records.machineOf('run', verification))
  if (known === null) {
    if (verification !== null) return { event: 'waits' }
    const command = await startVerification(drydock, landable, way)
    return { event: 'verifying', way: step, verification: command.run, command }
  }
  if (!isEnded(known.state)) {
    if (verification !== null) return { event: 'waits' }
    return { event: 'verifying', way: step, verification: known.id, command: null }
  }
  const response = responseOf(known)
  const manifest = response?.status === 'PASS' ? response.manifest : null
  if (manifest === null) throw notVerified(way, known.id)
  const open = openOnMerge(manifest, landable, goal.accepted)
  if (open.length > 0) return { event: 'refused', refusal: { ...notAccepted(way), findings: open.map(told) } }
  if (landing.state !== 'MOVING') return { event: 'moving', way: step }
  await landOnto(drydock, { landable, way, response, accepted: goal.accepted })
  return landed
}

/** Starts the verification of the merge, as `drydock verify` would. */
async function startVerification(drydock: Installation, landable: Landable, { branch, sha }: Way) {
  await checkContainers(drydock)
  const options = mergeTerms(landable, { branch })
  const checked = await checkConfig(drydock, options, true)
  const request = { kind: 'verify', commit: sha, asMerge: true } as const
  const title = `land onto ${branch}`
  return (await startCommand(drydock, { request, models: null, checked, title, options })).command
}

function told({ id, file, claim }: { readonly id: string; readonly file: string; readonly claim: string }) {
  return { id, file, claim }
}

function moved({ branch }: Way): DrydockError {
  return new DrydockError('branch_moved', `Somebody moved ${branch} meanwhile.`, {
    todo: 'Nothing was moved by Drydock. Land it again: the merge with the branch as it is now is verified first.',
  })
}

function notVerified({ branch }: Way, verification: string): DrydockError {
  return new DrydockError('not_landable', `The merge with ${branch} did not pass its verification.`, {
    todo: `Nothing was moved. See why: drydock report ${verification}`,
  })
}

function notAccepted({ branch }: Way) {
  return {
    code: 'not_landable' as const,
    message: `The gate has found something in the merge with ${branch} that nobody has accepted.`,
    todo: 'Nothing was moved. Look at each finding, and accept what may stay.',
  }
}
